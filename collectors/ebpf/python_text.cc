// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/python_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gpuwhy {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

void Append(uint32_t character, std::string& utf8) {
  const bool is_surrogate = character >= 0xD800 && character < 0xE000;
  if (is_surrogate || character > 0x10FFFF) character = kReplacement;
  const auto put = [&utf8](uint32_t byte) { utf8 += static_cast<char>(byte); };
  if (character < 0x80) return put(character);
  if (character < 0x800) {
    put(0xC0U | character >> 6U);
  } else if (character < 0x10000) {
    put(0xE0U | character >> 12U);
    put(0x80U | (character >> 6U & 0x3FU));
  } else {
    put(0xF0U | character >> 18U);
    put(0x80U | (character >> 12U & 0x3FU));
    put(0x80U | (character >> 6U & 0x3FU));
  }
  put(0x80U | (character & 0x3FU));
}

}  // namespace

std::string PythonTextOf(const PythonText& text, std::span<const char> bytes) {
  const size_t width = text.character_bytes;
  if (width != 1 && width != 2 && width != 4) return {};
  const size_t count = std::min<size_t>(text.length, bytes.size() / width);
  std::string utf8;
  for (size_t i = 0; i < count; ++i) {
    uint32_t character = 0;
    std::memcpy(&character, bytes.data() + i * width, width);
    Append(character, utf8);
  }
  if (count < text.length) utf8 += "…";
  return utf8;
}

}  // namespace gpuwhy
