// SPDX-License-Identifier: Apache-2.0
#include "collectors/sha256.h"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <array>
#include <fstream>
#include <vector>

namespace gpuwhy {
namespace {

constexpr size_t kChunkBytes = 1 << 20;

}  // namespace

Result<std::string> Sha256OfFile(const std::string& path, const std::stop_token& stop) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Unavailable(fmt::format("cannot hash {}: not readable", path));
  sha256_ctx context;
  sha256_init(&context);
  std::vector<char> chunk(kChunkBytes);
  while (file) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "hashing was stopped"};
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    sha256_update(&context, static_cast<size_t>(file.gcount()),
                  reinterpret_cast<const uint8_t*>(chunk.data()));
  }
  std::array<uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  std::string hex;
  for (const uint8_t byte : digest)
    hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace gpuwhy
