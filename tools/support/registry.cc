// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tools/detector.h"
#include "tools/tool.h"

namespace gpuwhy {

std::string_view NameOf(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "INFO";
    case Severity::kMedium:
      return "MEDIUM";
    case Severity::kHigh:
      return "HIGH";
  }
  return "";
}

Severity SeverityOfShare(int64_t lost_ns, int64_t wall_ns) {
  const double share =
      wall_ns <= 0 ? 0 : static_cast<double>(lost_ns) / static_cast<double>(wall_ns);
  constexpr double kHigh = 0.15;
  constexpr double kMedium = 0.05;
  if (share >= kHigh) return Severity::kHigh;
  return share >= kMedium ? Severity::kMedium : Severity::kInfo;
}

}  // namespace gpuwhy

namespace gpuwhy::tools {

const Tool* FindTool(std::string_view name) {
  const auto& all = AllTools();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Tool& tool) { return tool.name == name; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace gpuwhy::tools
