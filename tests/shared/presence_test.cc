// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "tests/catch.h"
#include "tests/support/shared_data.h"

TEST_CASE("shared data: the index can be read", "[shared]") {
  std::ifstream index(gpuwhy::SharedData("INDEX.tsv"));
  CHECK(index.good());
}
