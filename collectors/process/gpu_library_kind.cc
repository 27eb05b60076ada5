// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/gpu_library_kind.h"

#include <algorithm>
#include <array>

#include "collectors/symbols/elf_symbols.h"
#include "schema/base/text.h"

namespace gpuwhy {
namespace {

struct Known {
  GpuLibraryKind kind;
  std::string_view name_start;
  std::string_view function;
};
constexpr std::array kKnown{Known{GpuLibraryKind::kCudaRuntime, "libcudart", "cudaLaunchKernel"},
                            Known{GpuLibraryKind::kCudaDriver, "libcuda", "cuLaunchKernel"},
                            Known{GpuLibraryKind::kNccl, "libnccl", "ncclAllReduce"}};
constexpr size_t kLeastHashDigits = 6;  // auditwheel writes 8

// "-9335f6a2" of "-9335f6a2.so.12"
bool TakeHash(std::string_view& rest) {
  if (!rest.starts_with('-')) return true;
  const auto* end = std::find_if_not(rest.begin() + 1, rest.end(), IsLowerHexDigit);
  const auto count = static_cast<size_t>(end - rest.begin());
  rest.remove_prefix(count);
  return count > kLeastHashDigits;
}

bool IsVersion(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

void AddContent(std::vector<GpuContent>& content, const GpuContent& found) {
  const auto known = std::find_if(content.begin(), content.end(),
                                  [&](const GpuContent& one) { return one.kind == found.kind; });
  if (known == content.end()) {
    content.push_back(found);
  } else {
    known->recognised_by = std::min(known->recognised_by, found.recognised_by);
  }
}

}  // namespace

std::string_view TellingFunction(GpuLibraryKind kind) {
  return kKnown[static_cast<size_t>(kind)].function;
}

std::optional<GpuLibraryKind> KindOfName(std::string_view base_name) {
  for (const Known& known : kKnown) {
    if (!base_name.starts_with(known.name_start)) continue;
    std::string_view rest = base_name.substr(known.name_start.size());
    if (!TakeHash(rest) || !rest.starts_with(".so")) continue;
    rest.remove_prefix(3);
    if (rest.empty() || (rest.front() == '.' && IsVersion(rest))) return known.kind;
  }
  return std::nullopt;
}

Result<std::vector<GpuContent>> ContentOfFile(int fd, const std::string& name) {
  std::vector<GpuContent> content;
  GPUWHY_ASSIGN_OR_RETURN(const ElfFile elf, ElfFile::Read(fd, name));
  GPUWHY_RETURN_IF_ERROR(VisitFunctions(elf, [&](const SymbolEntry& entry) {
    for (const Known& known : kKnown) {
      if (WithoutVersion(entry.name) != known.function) continue;
      AddContent(content, {known.kind, entry.is_exported ? RecognisedBy::kExportedSymbol
                                                         : RecognisedBy::kLocalSymbol});
    }
  }));
  return content;
}

}  // namespace gpuwhy
