// SPDX-License-Identifier: Apache-2.0
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <filesystem>
#include <iostream>

#include "tests/support/shared_data.h"

int main(int argc, char** argv) {
  constexpr int kSkipped = 4;
  if (!std::filesystem::exists(gpuwhy::SharedData("INDEX.tsv"))) {
    std::cout << "skipped: no real traces at " << gpuwhy::SharedData("")
              << " (set GPUWHY_SHARED_DATA)\n";
    return kSkipped;
  }
  return Catch::Session().run(argc, argv);
}
