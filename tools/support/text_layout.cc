// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace gpuwhy {
namespace {

struct CodeRange {
  uint32_t first;
  uint32_t last;
};

constexpr std::array<CodeRange, 10> kWide = {{{0x1100, 0x115F},
                                              {0x2E80, 0x303E},
                                              {0x3041, 0xA4CF},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60},
                                              {0xFFE0, 0xFFE6},
                                              {0x1F300, 0x1FAFF},
                                              {0x20000, 0x3FFFD}}};
constexpr CodeRange kCombining = {0x300, 0x36F};
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

bool IsIn(const CodeRange& range, uint32_t c) {
  return c >= range.first && c <= range.last;
}

struct Character {
  size_t length = 1;
  size_t width = 1;
};

Character CharacterAt(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0xC0) return {};
  const size_t length = std::min<size_t>(lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2, text.size() - at);
  uint32_t c = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i)
    c = (c << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  if (IsIn(kCombining, c)) return {length, 0};
  const bool is_wide = std::any_of(kWide.begin(), kWide.end(),
                                   [&](const CodeRange& range) { return IsIn(range, c); });
  return {length, is_wide ? size_t{2} : size_t{1}};
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const Character character = CharacterAt(text, at);
    width += character.width;
    at += character.length;
  }
  return width;
}

std::string CutToWidth(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  size_t used = 0;
  size_t at = 0;
  while (at < text.size()) {
    const Character character = CharacterAt(text, at);
    if (used + character.width + 1 > width) break;
    used += character.width;
    at += character.length;
  }
  return std::string(text.substr(0, at)).append(kEllipsis);
}

std::vector<std::string> WrapWords(std::string_view text, size_t width) {
  if (width == 0) return {std::string(text)};
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (DisplayWidth(line) + 1 + DisplayWidth(word) <= width) {
      line.append(" ").append(word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::string ShareBar(double share_pct) {
  constexpr int kCells = 10;
  const double clamped = std::isfinite(share_pct) ? std::clamp(share_pct, 0.0, 100.0) : 0.0;
  const auto full = static_cast<int>(std::lround(clamped / 100 * kCells));
  std::string bar;
  for (int i = 0; i < kCells; ++i)
    bar += i < full ? "\xE2\x96\x88" : "\xE2\x96\x91";
  return bar;
}

}  // namespace gpuwhy
