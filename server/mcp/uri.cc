// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/uri.h"

#include <fmt/format.h>

#include <charconv>

namespace gpuwhy::mcp {
namespace {

constexpr std::string_view kTracePrefix = "gpuwhy://trace/";
constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned char byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

// Takes the text up to the next slash.
std::string_view TakeSegment(std::string_view& rest) {
  const std::string_view segment = rest.substr(0, rest.find('/'));
  rest.remove_prefix(std::min(rest.size(), segment.size() + 1));
  return segment;
}

}  // namespace

std::string PercentEncode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

std::optional<TraceUri> ParseTraceUri(std::string_view uri) {
  if (!uri.starts_with(kTracePrefix)) return std::nullopt;
  std::string_view rest = uri.substr(kTracePrefix.size());
  const auto trace = PercentDecode(TakeSegment(rest));
  const auto part = PercentDecode(TakeSegment(rest));
  const auto id = PercentDecode(TakeSegment(rest));
  if (!trace || !part || !id || trace->empty() || !rest.empty()) return std::nullopt;
  return TraceUri{.trace = *trace, .part = *part, .id = *id};
}

std::string TraceUriText(std::string_view trace, std::string_view part) {
  return fmt::format("{}{}/{}", kTracePrefix, PercentEncode(trace), part);
}

}  // namespace gpuwhy::mcp
