// SPDX-License-Identifier: Apache-2.0
#include "tests/support/catch_runner.h"

// Catch2 v2 compiles its runner where this macro is.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int gpuwhy::RunCatch(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}
