// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/proc_maps.h"

#include "collectors/process/number_text.h"
#include "collectors/process/read_file.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::string_view kEscapedNewline = "\\012";  // the only character that is escaped

bool TakeRange(std::string_view& rest, Mapping& mapping) {
  const auto start = TakeNumber<uint64_t>(rest, 16);
  if (!start || !TakeChar(rest, '-')) return false;
  const auto end = TakeNumber<uint64_t>(rest, 16);
  if (!end || *end <= *start) return false;
  mapping.start = *start;
  mapping.end = *end;
  return TakeChar(rest, ' ');
}

bool TakePermissions(std::string_view& rest, Mapping& mapping) {
  if (rest.size() < 5 || rest[4] != ' ') return false;
  mapping.is_executable = rest[2] == 'x';
  rest.remove_prefix(5);
  return true;
}

bool TakeFile(std::string_view& rest, Mapping& mapping) {
  const auto offset = TakeNumber<uint64_t>(rest, 16);
  if (!offset || !TakeChar(rest, ' ')) return false;
  const auto major = TakeNumber<uint32_t>(rest, 16);
  if (!major || !TakeChar(rest, ':')) return false;
  const auto minor = TakeNumber<uint32_t>(rest, 16);
  if (!minor || !TakeChar(rest, ' ')) return false;
  const auto inode = TakeNumber<uint64_t>(rest);
  if (!inode) return false;
  mapping.file_offset = *offset;
  mapping.file = {*major, *minor, *inode};
  return true;
}

// Padded with spaces before, never after: a name may end with them.
void SetPath(std::string_view rest, Mapping& mapping) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  mapping.is_deleted = mapping.file.inode != 0 && rest.ends_with(kDeleted);
  if (mapping.is_deleted) rest.remove_suffix(kDeleted.size());
  mapping.path = rest;
  for (size_t at = 0; (at = mapping.path.find(kEscapedNewline, at)) != std::string::npos; ++at) {
    mapping.path.replace(at, kEscapedNewline.size(), "\n");
  }
}

}  // namespace

std::optional<Mapping> ParseMapsLine(std::string_view line) {
  Mapping mapping;
  const bool is_valid =
      TakeRange(line, mapping) && TakePermissions(line, mapping) && TakeFile(line, mapping);
  if (!is_valid || (!line.empty() && line.front() != ' ')) return std::nullopt;
  SetPath(line, mapping);
  return mapping;
}

ProcessMaps ParseMaps(std::string_view text) {
  ProcessMaps maps;
  while (!text.empty()) {
    std::optional<Mapping> mapping = ParseMapsLine(TakeLine(text));
    if (mapping) {
      maps.mappings.push_back(std::move(*mapping));
    } else {
      ++maps.skipped_line_count;
    }
  }
  return maps;
}

Result<ProcessMaps> ReadMaps(pid_t pid) {
  GPUWHY_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(ProcPath(pid, "maps")));
  return ParseMaps(text);
}

}  // namespace gpuwhy
