// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/folded_line.h"

#include "collectors/perf/text_fields.h"

namespace gpuwhy::perf {
namespace {

struct Weight {
  int64_t count = 0;
  bool is_rounded = false;
};

bool IsAllDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "42", "41.7", "42."
bool IsWeight(std::string_view field) {
  const size_t point = field.find('.');
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view("0") : field.substr(point + 1);
  return IsAllDigits(field.substr(0, point)) && (fraction.empty() || IsAllDigits(fraction));
}

Weight ParseWeight(std::string_view field) {
  const size_t point = field.find('.');
  const int64_t whole = ParseDecimal(field.substr(0, point)).value_or(INT64_MAX);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : field.substr(point + 1);
  const bool is_rounded = fraction.find_first_not_of('0') != std::string_view::npos;
  const bool is_up = !fraction.empty() && fraction.front() >= '5' && whole < INT64_MAX;
  return {.count = is_up ? whole + 1 : whole, .is_rounded = is_rounded};
}

}  // namespace

FoldedVerdict ParseFoldedLine(std::string_view line, FoldedLine& out) {
  std::string_view text = Trimmed(line);
  if (text.empty() || text.starts_with('#') || text.starts_with("//")) {
    return FoldedVerdict::kNothing;
  }
  const std::string_view field = TakeLastField(text);
  text = Trimmed(text);
  if (!IsWeight(field) || text.empty()) return FoldedVerdict::kNotUnderstood;
  const Weight weight = ParseWeight(field);
  out = {.stack = text, .weight_count = weight.count, .is_rounded = weight.is_rounded};
  std::string_view shorter = text;
  out.has_two_counts = IsAllDigits(TakeLastField(shorter)) && !Trimmed(shorter).empty();
  if (out.has_two_counts) out.stack = Trimmed(shorter);
  return weight.count > kMaxFoldedWeight ? FoldedVerdict::kTooLarge : FoldedVerdict::kStack;
}

std::string_view TakeOutermost(std::string_view& stack) {
  const size_t end = stack.find(';');
  const std::string_view frame = stack.substr(0, end);
  stack.remove_prefix(end == std::string_view::npos ? stack.size() : end + 1);
  return Trimmed(frame);
}

}  // namespace gpuwhy::perf
