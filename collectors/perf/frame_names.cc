// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/frame_names.h"

#include <algorithm>
#include <array>

#include "collectors/perf/text_fields.h"

namespace gpuwhy::perf {
namespace {

constexpr uint64_t kUpperHalf = uint64_t{1} << 63;

// In brackets like a kernel module, and no kernel code.
constexpr std::array<std::string_view, 8> kUserBrackets = {
    "[vdso]", "[vdso32]", "[vsyscall]", "[heap]", "[stack]", "[anon]", "[uprobes]", "[unknown]"};

bool IsKernelObject(std::string_view module) {
  const std::string_view name = module.substr(module.rfind('/') + 1);
  return name.find(".ko.") != std::string_view::npos || name.ends_with(".ko") ||
         name.starts_with("vmlinux") || name.starts_with("bpf_prog_");
}

bool IsUserBracket(std::string_view module) {
  return std::ranges::find(kUserBrackets, module) != kUserBrackets.end() ||
         module.starts_with("[anon:") || module.starts_with("[stack:");
}

// "train (train.py:17)", "<module> (train.py)"
FrameRow PySpyFrame(std::string_view symbol) {
  const size_t open = symbol.rfind(" (");
  if (!symbol.ends_with(')') || open == std::string_view::npos || open == 0) return {};
  std::string_view file = symbol.substr(open + 2, symbol.size() - open - 3);
  std::optional<int64_t> line;
  if (const size_t colon = file.rfind(':'); colon != std::string_view::npos) {
    line = ParseDecimal(file.substr(colon + 1));
    if (line) file = file.substr(0, colon);
  }
  if (!file.ends_with(".py")) return {};
  return {.kind = "python",
          .function_name = symbol.substr(0, open),
          .module = {},
          .file = file,
          .line = line};
}

}  // namespace

bool IsKernelModule(std::string_view module, uint64_t address) {
  if (IsUserBracket(module)) return false;
  if (module.starts_with('[') || IsKernelObject(module)) return true;
  return address >= kUpperHalf;
}

FrameRow PythonFrame(std::string_view symbol) {
  if (!symbol.starts_with("py::")) return PySpyFrame(symbol);
  const std::string_view name = symbol.substr(4);
  const size_t colon = name.find(':');
  const bool has_file = colon != std::string_view::npos;
  return {.kind = "python",
          .function_name = name.substr(0, colon),
          .module = {},
          .file = has_file ? name.substr(colon + 1) : std::string_view(),
          .line = std::nullopt};
}

}  // namespace gpuwhy::perf
