// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/source_lines.h"

#include <gelf.h>

#include <limits>
#include <string_view>

#include "schema/base/saturating.h"

namespace gpuwhy {
namespace {

constexpr int64_t kMaxDebugBytes = 256 << 20;

int64_t UncompressedBytes(Elf_Scn* section, const GElf_Shdr& header) {
  GElf_Chdr compressed;
  const bool is_compressed = (header.sh_flags & SHF_COMPRESSED) != 0;
  if (is_compressed && gelf_getchdr(section, &compressed) != nullptr) {
    return static_cast<int64_t>(compressed.ch_size & INT64_MAX);
  }
  return static_cast<int64_t>(header.sh_size & INT64_MAX);
}

std::string_view SectionName(Elf* elf, const GElf_Shdr& header) {
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  const char* text = elf_strptr(elf, names, header.sh_name);
  return text == nullptr ? std::string_view() : text;
}

// Calls visit(section, header, name) for every section whose header can be read.
template <typename Visit>
void VisitSections(Elf* elf, const Visit& visit) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    visit(section, header, SectionName(elf, header));
  }
}

struct DebugSections {
  int64_t total_bytes = 0;
  bool has_lines = false;
  bool has_other_file = false;  // libdw would open a file that this one names
};

DebugSections Survey(Elf* elf) {
  DebugSections found;
  VisitSections(elf, [&](Elf_Scn* section, const GElf_Shdr& header, std::string_view name) {
    if (name == ".debug_line") found.has_lines = true;
    if (name == ".gnu_debugaltlink" || name.ends_with(".dwo")) found.has_other_file = true;
    if (name.starts_with(".debug_") || name.starts_with(".zdebug_")) {
      found.total_bytes = SaturatingAdd(found.total_bytes, UncompressedBytes(section, header));
    }
  });
  return found;
}

bool EndsWithNul(Elf_Scn* section) {
  const Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr || data->d_size == 0) return true;  // not readable
  return static_cast<const char*>(data->d_buf)[data->d_size - 1] == '\0';
}

// libdw 0.188 reads on behind a table of texts whose last one has no end. To be asked when it has
// opened the file, as it expands compressed sections then.
bool HasTextWithoutEnd(Elf* elf) {
  bool has_one = false;
  VisitSections(elf, [&](Elf_Scn* section, const GElf_Shdr&, std::string_view name) {
    if (name.ends_with("debug_str") || name.ends_with("debug_line_str")) {
      has_one = has_one || !EndsWithNul(section);
    }
  });
  return has_one;
}

}  // namespace

SourceLines::SourceLines(ElfFile elf) : elf_(std::move(elf)) {
  const DebugSections found = Survey(elf_.handle());
  is_too_large_ = found.total_bytes > kMaxDebugBytes;
  if (!found.has_lines || found.has_other_file || is_too_large_) return;
  dwarf_.reset(dwarf_begin_elf(elf_.handle(), DWARF_C_READ, nullptr));
  if (HasTextWithoutEnd(elf_.handle())) dwarf_.reset();
}

std::optional<SourceLine> SourceLines::Find(uint64_t address) const {
  Dwarf_Die unit;
  if (!dwarf_ || dwarf_addrdie(dwarf_.get(), address, &unit) == nullptr) return std::nullopt;
  Dwarf_Line* line = dwarf_getsrc_die(&unit, address);
  const char* file = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
  int number = 0;
  if (file == nullptr || dwarf_lineno(line, &number) != 0) return std::nullopt;
  return SourceLine{file, number};
}

}  // namespace gpuwhy
