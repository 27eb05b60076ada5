// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/frame_line.h"

#include "collectors/perf/text_fields.h"

namespace gpuwhy::perf {
namespace {

constexpr std::string_view kUnknown = "[unknown]";

// Where the parenthesis that the text's last character closes was opened; a module's path can hold
// parentheses itself: "(/memfd:jit (deleted))".
size_t OpeningOfLast(std::string_view text) {
  int depth = 0;
  for (size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

// Cuts " (module)" off a text that ends with it.
std::string_view TakeModule(std::string_view& text) {
  if (!text.ends_with(')')) return {};
  const size_t open = OpeningOfLast(text);
  if (open == std::string_view::npos) return {};
  // "main(int)": a signature, as no blank is before it.
  const bool is_apart = open == 0 || kBlanks.find(text[open - 1]) != std::string_view::npos;
  if (!is_apart) return {};
  const std::string_view module = text.substr(open + 1, text.size() - open - 2);
  text = Trimmed(text.substr(0, open));
  return module;
}

}  // namespace

std::string_view WithoutHexOffset(std::string_view symbol) {
  const size_t plus = symbol.rfind("+0x");
  const bool is_offset =
      plus != std::string_view::npos && plus > 0 &&
      symbol.find_first_not_of("0123456789abcdefABCDEF", plus + 3) == std::string_view::npos;
  return is_offset ? symbol.substr(0, plus) : symbol;
}

std::optional<FrameLine> ParseFrameLine(std::string_view line) {
  std::string_view text = Trimmed(line);
  FrameLine frame{.address = TakeFirstField(text)};
  if (!ParseHex(frame.address)) return std::nullopt;
  text = Trimmed(text);
  frame.module = TakeModule(text);
  // Without a module it is one only where it stands as a frame: below a sample, moved in.
  if (frame.module.empty() && kBlanks.find(line.front()) == std::string_view::npos) {
    return std::nullopt;
  }
  frame.is_inlined = frame.module == "inlined";
  if (frame.is_inlined || frame.module == kUnknown) frame.module = {};
  frame.symbol = text == kUnknown ? std::string_view() : WithoutHexOffset(text);
  return frame;
}

bool IsSourceLine(std::string_view line) {
  const std::string_view text = Trimmed(line);
  const size_t colon = text.rfind(':');
  return colon != std::string_view::npos && colon > 0 && ParseDecimal(text.substr(colon + 1)) &&
         text.find_first_of(kBlanks) == std::string_view::npos;
}

}  // namespace gpuwhy::perf
