// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/sample_header.h"

#include <algorithm>
#include <array>

#include "collectors/perf/frame_line.h"
#include "collectors/perf/text_fields.h"

namespace gpuwhy::perf {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kMaxSeconds = 9'000'000'000;  // 285 years

constexpr std::array<std::string_view, 14> kBranchWords = {
    "call",   "return", "jmp", "jcc",     "int",    "iret", "syscall",
    "sysret", "async",  "hw",  "vmentry", "vmexit", "tr",   "tx"};

// What perf puts behind the name of an event: user, kernel, precise, ...
constexpr std::string_view kModifiers = "ukhpPGHISDWebR";

// "3188.091180:" with up to nine decimals.
std::optional<int64_t> ParseTime(std::string_view field) {
  if (!field.ends_with(':')) return std::nullopt;
  field.remove_suffix(1);
  const size_t point = field.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const auto seconds = ParseDecimal(field.substr(0, point));
  const auto fraction = ParseDecimal(field.substr(point + 1));
  const size_t digit_count = field.size() - point - 1;
  if (!seconds || !fraction || digit_count > 9 || *seconds > kMaxSeconds) return std::nullopt;
  int64_t fraction_ns = *fraction;
  for (size_t digit = digit_count; digit < 9; ++digit)
    fraction_ns *= 10;
  return *seconds * kNsPerSecond + fraction_ns;
}

bool IsCpu(std::string_view field) {
  return field.size() > 2 && field.front() == '[' && field.back() == ']' &&
         ParseDecimal(field.substr(1, field.size() - 2));
}

// "1234", "1200/1234"; kernels print -1 for a thread that is gone.
bool ParseIds(std::string_view field, SampleHeader& header) {
  const size_t slash = field.find('/');
  const auto first = ParseSigned(field.substr(0, slash));
  if (!first) return false;
  header.tid = *first;
  if (slash == std::string_view::npos) return true;
  const auto second = ParseSigned(field.substr(slash + 1));
  if (!second) return false;
  header.pid = *first;
  header.tid = *second;
  return true;
}

// Reads "comm ids [cpu]" from its end.
bool ParseOwner(std::string_view text, SampleHeader& header) {
  std::string_view field = TakeLastField(text);
  if (IsCpu(field)) field = TakeLastField(text);
  header.comm = Trimmed(text);
  return !header.comm.empty() && ParseIds(field, header);
}

// Reads "[period] event: rest".
bool ParseEvent(std::string_view text, SampleHeader& header) {
  std::string_view field = TakeFirstField(text);
  header.has_period = ParseDecimal(field).has_value();
  if (header.has_period) field = TakeFirstField(text);
  if (field.size() < 2 || !field.ends_with(':')) return false;
  header.event = field.substr(0, field.size() - 1);
  header.rest = Trimmed(text);
  return true;
}

// The first field that reads as a time after an owner: a tracepoint's text may hold another.
std::optional<SampleHeader> ParseTimed(std::string_view line) {
  std::string_view text = line;
  while (!text.empty()) {
    const std::string_view field = TakeFirstField(text);
    const auto time_ns = ParseTime(field);
    if (!time_ns) continue;
    SampleHeader header{.time_ns = time_ns};
    const auto before = static_cast<size_t>(field.data() - line.data());
    if (!ParseOwner(line.substr(0, before), header)) continue;
    if (!ParseEvent(text, header)) header.rest = Trimmed(text);
    if (!header.event.empty() || IsBranch(header)) return header;
  }
  return std::nullopt;
}

// Reads "comm ids [cpu] [period]" from its end.
bool ParseUntimedOwner(std::string_view text, SampleHeader& header) {
  std::string_view without_period = text;
  if (ParseDecimal(TakeLastField(without_period)) && ParseOwner(without_period, header)) {
    header.has_period = true;
    return true;
  }
  return ParseOwner(text, header);
}

// A frame's line can hold a colon too, so less may follow the event than where there is a time.
bool IsPlausibleUntimed(std::string_view line, const SampleHeader& header) {
  return header.rest.empty() || ParseFrameLine(header.rest) ||
         (IsTracepoint(header.event) && kBlanks.find(line.front()) == std::string_view::npos);
}

// Without a time the event is what tells where the owner ends.
std::optional<SampleHeader> ParseUntimed(std::string_view line) {
  std::string_view text = line;
  while (!text.empty()) {
    const std::string_view field = TakeFirstField(text);
    if (field.size() < 2 || !field.ends_with(':')) continue;
    SampleHeader header{.event = field.substr(0, field.size() - 1), .rest = Trimmed(text)};
    const auto before = static_cast<size_t>(field.data() - line.data());
    if (!ParseUntimedOwner(line.substr(0, before), header)) continue;
    if (IsPlausibleUntimed(line, header)) return header;
  }
  return std::nullopt;
}

}  // namespace

std::optional<SampleHeader> ParseSampleHeader(std::string_view line) {
  if (auto timed = ParseTimed(line)) return timed;
  return ParseUntimed(line);
}

bool IsTracepoint(std::string_view event) {
  const size_t colon = event.rfind(':');
  return colon != std::string_view::npos &&
         event.find_first_not_of(kModifiers, colon + 1) != std::string_view::npos;
}

bool IsBranch(const SampleHeader& header) {
  if (header.event.empty()) {
    std::string_view text = header.rest;
    return std::ranges::find(kBranchWords, TakeFirstField(text)) != kBranchWords.end() &&
           header.rest.ends_with(')');
  }
  return header.rest.find(" => ") != std::string_view::npos;
}

}  // namespace gpuwhy::perf
