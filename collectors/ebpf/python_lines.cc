// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/python_lines.h"

namespace gpuwhy {
namespace {

// Kinds of entries: 0 to 9 are on the line of the entry before, 10 to 12 up to two lines further.
constexpr uint8_t kOneLine = 10;
constexpr uint8_t kNoColumns = 13;
constexpr uint8_t kLong = 14;
constexpr uint8_t kNone = 15;

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  std::optional<uint8_t> Byte() {
    if (at_ >= bytes_.size()) return std::nullopt;
    return bytes_[at_++];
  }

  // Six bits a byte, the lowest first; bit 6 says that more follow.
  std::optional<uint32_t> Unsigned() {
    uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 6) {
      const std::optional<uint8_t> byte = Byte();
      if (!byte || (*byte & 0x80U) != 0) return std::nullopt;
      value |= (*byte & 0x3FU) << shift;
      if ((*byte & 0x40U) == 0) return value;
    }
    return std::nullopt;
  }

  // The sign is the lowest bit.
  std::optional<int64_t> Signed() {
    const std::optional<uint32_t> value = Unsigned();
    if (!value) return std::nullopt;
    const auto magnitude = static_cast<int64_t>(*value >> 1U);
    return (*value & 1U) != 0 ? -magnitude : magnitude;
  }

  // To the first byte of the next entry.
  void SkipEntry() {
    while (at_ < bytes_.size() && (bytes_[at_] & 0x80U) == 0)
      ++at_;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

std::optional<int64_t> LineStep(uint8_t kind, Reader& reader) {
  if (kind == kNoColumns || kind == kLong) return reader.Signed();
  if (kind >= kOneLine && kind < kNoColumns) return kind - kOneLine;
  return 0;
}

}  // namespace

std::optional<int64_t> PythonLineAt(std::span<const uint8_t> table, int64_t first_line,
                                    int64_t offset_bytes) {
  Reader reader(table);
  int64_t line = first_line;
  int64_t end_bytes = 0;
  while (const std::optional<uint8_t> head = reader.Byte()) {
    if ((*head & 0x80U) == 0) return std::nullopt;
    const auto kind = static_cast<uint8_t>((*head >> 3U) & 15U);
    const std::optional<int64_t> step = LineStep(kind, reader);
    if (!step) return std::nullopt;
    line += *step;
    end_bytes += 2 * (int64_t{*head & 7} + 1);
    if (offset_bytes < end_bytes) return kind == kNone ? 0 : line;
    reader.SkipEntry();
  }
  return std::nullopt;
}

}  // namespace gpuwhy
