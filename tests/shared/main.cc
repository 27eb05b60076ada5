// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>

#include "tests/support/catch_runner.h"
#include "tests/support/shared_data.h"

int main(int argc, char** argv) {
  constexpr int kSkipped = 4;
  if (!std::filesystem::exists(gpuwhy::SharedData("INDEX.tsv"))) {
    std::cout << "skipped: no real traces at " << gpuwhy::SharedData("")
              << " (set GPUWHY_SHARED_DATA)\n";
    return kSkipped;
  }
  return gpuwhy::RunCatch(argc, argv);
}
