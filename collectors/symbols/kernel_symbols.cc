// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/kernel_symbols.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "collectors/process/number_text.h"
#include "collectors/process/read_file.h"

namespace gpuwhy {
namespace {

constexpr uint64_t kMaxFunctionBytes = 1 << 20;  // the largest of Linux 6.x has ~100 kB
constexpr std::string_view kKernel = "kernel";
constexpr std::string_view kFunctionTypes = "tTwW";

struct Line {
  uint64_t address = 0;
  char type = 0;
  std::string_view name;
};

std::optional<Line> ParseLine(std::string_view text) {
  Line line;
  const auto address = TakeNumber<uint64_t>(text, 16);
  if (!address || text.size() < 4 || text[0] != ' ' || text[2] != ' ') return std::nullopt;
  return Line{*address, text[1], text.substr(3)};
}

}  // namespace

Result<KernelSymbols> KernelSymbols::Load() {
  GPUWHY_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile("/proc/kallsyms"));
  return Parse(text);
}

KernelSymbols KernelSymbols::Parse(std::string_view text) {
  KernelSymbols symbols;
  uint64_t before = 0;
  const bool has_lines = !text.empty();
  while (!text.empty()) {
    const std::optional<Line> line = ParseLine(TakeLine(text));
    if (!line) ++symbols.skipped_line_count_;
    if (!line || line->address == 0) continue;
    // Of several names for one address the kernel lists the best one first.
    const bool is_alias = std::exchange(before, line->address) == line->address;
    if (is_alias || kFunctionTypes.find(line->type) == std::string_view::npos) continue;
    symbols.functions_.Add(line->address, 0, line->name);
  }
  symbols.is_restricted_ = has_lines && before == 0;
  symbols.functions_.Sort();
  symbols.functions_.CloseGaps(kMaxFunctionBytes);
  return symbols;
}

Frame KernelSymbols::Resolve(uint64_t address) const {
  const std::optional<NamedRange> found = functions_.Find(address);
  if (!found) return {.function = fmt::format("0x{:x}", address), .module = std::string(kKernel)};
  const size_t tab = found->name.find('\t');
  Frame frame{.function = std::string(found->name.substr(0, tab)), .module = std::string(kKernel)};
  if (tab != std::string_view::npos) frame.module = found->name.substr(tab + 1);
  frame.offset_bytes = address - found->start;
  frame.is_known = true;
  return frame;
}

}  // namespace gpuwhy
