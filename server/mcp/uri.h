// SPDX-License-Identifier: Apache-2.0
// The addresses of our resources. Names of traces may hold any character, so they travel
// percent-encoded; whatever is not one of these forms is refused. Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpuwhy::mcp {

inline constexpr std::string_view kSchemaUri = "gpuwhy://schema";
inline constexpr std::string_view kDetectorsUri = "gpuwhy://findings";
inline constexpr std::string_view kOverviewTemplate = "gpuwhy://trace/{name}/overview";
inline constexpr std::string_view kFindingsTemplate = "gpuwhy://trace/{name}/findings";
inline constexpr std::string_view kFindingTemplate = "gpuwhy://trace/{name}/finding/{id}";

// gpuwhy://trace/NAME/PART or gpuwhy://trace/NAME/PART/ID
struct TraceUri {
  std::string trace;
  std::string part;
  std::string id;
};

std::string PercentEncode(std::string_view text);
std::optional<TraceUri> ParseTraceUri(std::string_view uri);
std::string TraceUriText(std::string_view trace, std::string_view part);

}  // namespace gpuwhy::mcp
