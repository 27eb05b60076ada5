// SPDX-License-Identifier: Apache-2.0
// docs/tools.md is written by this test (GPUWHY_UPDATE_GOLDEN=1) from the registries, so it cannot
// drift.
#include <fmt/format.h>

#include <string>

#include "tests/catch.h"
#include "tests/support/golden.h"
#include "tools/detector.h"
#include "tools/tool.h"

namespace gpuwhy {
namespace {

std::string TypeOf(const Param& param) {
  if (!param.choices.empty()) {
    std::string choices;
    for (const std::string_view choice : param.choices)
      choices += fmt::format("{}`{}`", choices.empty() ? "" : ", ", choice);
    return choices;
  }
  switch (param.type) {
    case ParamType::kString:
      return "text";
    case ParamType::kInteger:
      return "integer";
    case ParamType::kBoolean:
      return "true or false";
  }
  return "";
}

// A row of a Markdown table: a bar would end the cell.
std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text)
    cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

std::string ParamRow(const Param& param) {
  std::string about(param.description);
  if (param.default_int) about += fmt::format(" (default {})", *param.default_int);
  if (param.is_required) about += " (required)";
  return fmt::format("| `{}` | {} | {} |\n", param.name, TypeOf(param), Cell(about));
}

std::string Reference() {
  std::string text =
      "# Tools and detectors\n\nGenerated from the registries; `GPUWHY_UPDATE_GOLDEN=1` and the "
      "tests write it anew. All tools only read.\nWhen several traces are open, `trace` names one; "
      "`format=json` gives raw values.\n";
  for (const Tool& tool : tools::AllTools()) {
    text += fmt::format("\n## {}\n\n{}\n", tool.name, tool.description);
    if (tool.params.empty()) continue;
    text += "\n| parameter | is | meaning |\n|---|---|---|\n";
    for (const Param& param : tool.params)
      text += ParamRow(param);
  }
  text += "\n# What get_findings looks for\n\n| finding | asks |\n|---|---|\n";
  for (const Detector& detector : tools::detectors::AllDetectors())
    text += fmt::format("| `{}` | {} |\n", detector.name, Cell(detector.question));
  return text;
}

}  // namespace

TEST_CASE("docs/tools.md says what the registries say", "[tools]") {
  CheckGolden("../../docs/tools.md", Reference());
}

}  // namespace gpuwhy
