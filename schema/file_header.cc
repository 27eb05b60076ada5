// SPDX-License-Identifier: Apache-2.0
#include "schema/file_header.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "schema/import_hint.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr size_t kHeaderBytes = 100;

uint32_t BigEndian(const std::array<char, kHeaderBytes>& header, size_t at, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; ++i) {
    value = (value << 8U) | static_cast<unsigned char>(header.at(at + i));
  }
  return value;
}

Status CheckLength(const std::string& path, const std::array<char, kHeaderBytes>& header,
                   uint64_t size) {
  const uint32_t raw_page = BigEndian(header, 16, 2);
  const uint64_t page_bytes = raw_page == 1 ? 65536 : raw_page;
  const uint64_t expected = page_bytes * BigEndian(header, 28, 4);
  const bool is_counted = BigEndian(header, 24, 4) == BigEndian(header, 92, 4);
  if (is_counted && expected > size) {
    return CorruptInput(
        fmt::format("{} is truncated: {} bytes where its header promises {}; copy it again", path,
                    size, expected));
  }
  return {};
}

}  // namespace

Result<FileHeader> ReadHeader(const std::string& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) {
    return NotFound(fmt::format("cannot open {}: no such file", path));
  }
  if (!std::filesystem::is_regular_file(status)) {
    return InvalidArgument(fmt::format("cannot open {}: not a regular file", path));
  }
  const uint64_t size = std::filesystem::file_size(path, failure);
  if (size == 0) {
    return CorruptInput(
        fmt::format("{} is empty (0 bytes): the recording never started or the copy failed", path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return Unavailable(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::array<char, kHeaderBytes> header{};
  file.read(header.data(), kHeaderBytes);
  if (std::string_view(header.data(), kMagic.size()) != kMagic) {
    return CorruptInput(fmt::format("{} is not a SQLite database; {}", path, kImportHint));
  }
  if (size < kHeaderBytes) return CorruptInput(fmt::format("{} is truncated: copy it again", path));
  GPUWHY_RETURN_IF_ERROR(CheckLength(path, header, size));
  return FileHeader{.is_wal = header[18] == 2 || header[19] == 2};
}

}  // namespace gpuwhy
