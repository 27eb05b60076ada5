// SPDX-License-Identifier: Apache-2.0
#include "schema/base/text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>

namespace gpuwhy {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr uint32_t kInvalid = 0xFFFFFFFF;

struct CodePoint {
  uint32_t value = kInvalid;
  size_t length = 1;
};

// Decodes one UTF-8 sequence; overlong forms, surrogates and stray bytes are kInvalid of length 1.
CodePoint Decode(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) -> uint32_t { return static_cast<unsigned char>(text[at + i]); };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return {};
  uint32_t value = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest.at(length) || value > 0x10FFFF || is_surrogate) return {};
  return {value, length};
}

// Control characters, bidirectional overrides, zero-width characters, line separators and tags: all
// that can hide or reorder text in a terminal or in a model's input.
bool IsUnsafe(uint32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) return true;
  if (c == 0xAD || c == 0x61C || c == 0xFEFF || c == kInvalid) return true;
  if (c >= 0x200B && c <= 0x200F) return true;
  if (c >= 0x2028 && c <= 0x202E) return true;
  if (c >= 0x2060 && c <= 0x206F) return true;
  if (c >= 0xFFF9 && c <= 0xFFFB) return true;
  return c >= 0xE0000 && c <= 0xE0FFF;
}

struct Scale {
  double divisor;
  std::string_view unit;
};

int DigitsAfterPoint(double value) {
  if (value >= 100) return 1;
  return value >= 10 ? 2 : 3;
}

}  // namespace

std::string CleanText(std::string_view raw, size_t limit) {
  std::string out;
  size_t count = 0;
  for (size_t at = 0; at < raw.size();) {
    if (count == limit) return out + "\xE2\x80\xA6";
    const CodePoint point = Decode(raw, at);
    out += IsUnsafe(point.value) ? kReplacement : raw.substr(at, point.length);
    at += point.length;
    ++count;
  }
  return out;
}

std::string StripControls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = Decode(text, at);
    const bool keep = point.value == '\n' || point.value == '\t' || !IsUnsafe(point.value);
    out += keep ? text.substr(at, point.length) : kReplacement;
    at += point.length;
  }
  return out;
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = Decode(text, at);
    out += point.value == kInvalid ? kReplacement : text.substr(at, point.length);
    at += point.length;
  }
  return out;
}

std::string FormatDuration(int64_t duration_ns) {
  if (duration_ns < 0) {
    return duration_ns == INT64_MIN ? "-292 years" : "-" + FormatDuration(-duration_ns);
  }
  if (duration_ns < 1000) return fmt::format("{} ns", duration_ns);
  constexpr std::array<Scale, 3> kScales = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  const auto ns = static_cast<double>(duration_ns);
  for (const Scale& scale : kScales) {
    if (ns < scale.divisor) continue;
    const double value = ns / scale.divisor;
    return fmt::format("{:.{}f} {}", value, DigitsAfterPoint(value), scale.unit);
  }
  return fmt::format("{} ns", duration_ns);
}

std::string FormatBytes(int64_t bytes) {
  constexpr std::array<Scale, 4> kScales = {{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}}};
  const auto amount = static_cast<double>(bytes);
  for (const Scale& scale : kScales) {
    if (std::abs(amount) >= scale.divisor) {
      return fmt::format("{:.2f} {}", amount / scale.divisor, scale.unit);
    }
  }
  return fmt::format("{} B", bytes);
}

std::string FormatCount(int64_t count) {
  std::string digits = std::to_string(count);
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string FormatTimestamp(int64_t time_ns) {
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  int64_t seconds = time_ns / kNsPerSecond;
  int64_t rest_ns = time_ns % kNsPerSecond;
  if (rest_ns < 0) {
    rest_ns += kNsPerSecond;
    --seconds;
  }
  const std::time_t when = seconds;
  std::tm utc{};
  if (gmtime_r(&when, &utc) == nullptr) return std::to_string(time_ns);
  std::array<char, 32> text{};
  const size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &utc);
  return fmt::format("{}.{:09d}", std::string_view(text.data(), length), rest_ns);
}

std::string FormatNumber(double value, int digits) {
  if (!std::isfinite(value)) return "n/a";
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace gpuwhy
