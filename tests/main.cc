// SPDX-License-Identifier: Apache-2.0
#include "tests/support/catch_runner.h"

int main(int argc, char** argv) {
  return gpuwhy::RunCatch(argc, argv);
}
