// SPDX-License-Identifier: Apache-2.0
#include "collectors/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <vector>

namespace gpuwhy {
namespace {

constexpr size_t kChunkBytes = 1 << 20;

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

Result<std::string> Sha256OfFile(const std::string& path, const std::stop_token& stop) {
  std::ifstream file(path, std::ios::binary);
  const std::unique_ptr<EVP_MD_CTX, ContextDeleter> context(EVP_MD_CTX_new());
  if (!file || !context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    return Unavailable(fmt::format("cannot hash {}: not readable", path));
  }
  std::vector<char> chunk(kChunkBytes);
  while (file) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "hashing was stopped"};
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    EVP_DigestUpdate(context.get(), chunk.data(), static_cast<size_t>(file.gcount()));
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &length);
  std::string hex;
  for (unsigned int i = 0; i < length; ++i)
    hex += fmt::format("{:02x}", digest.at(i));
  return hex;
}

}  // namespace gpuwhy
