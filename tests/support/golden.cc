// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/catch.h"

namespace gpuwhy {

void CheckGolden(const std::string& path, std::string_view text) {
  const std::filesystem::path file =
      std::filesystem::path(GPUWHY_SOURCE_DIR "/tests/golden") / path;
  if (std::getenv("GPUWHY_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  INFO("golden file " << path << "; GPUWHY_UPDATE_GOLDEN=1 rewrites it");
  std::ifstream in(file, std::ios::binary);
  REQUIRE(in.good());
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  CHECK(expected == std::string(text));
}

}  // namespace gpuwhy
