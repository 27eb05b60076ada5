// SPDX-License-Identifier: Apache-2.0
// Exit code 4, with the reason, where no BPF program can be loaded. Cases tagged [.unsteady] need a
// machine that is not busy, and no sanitizers: ebpf_tests "[.unsteady]".
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdio>

#include "tests/collectors/ebpf/recorded.h"

int main(int argc, char** argv) {
  if (const auto reason = gpuwhy::WhyNotRecordable()) {
    std::printf("skipped: %s\n", reason->c_str());
    return 4;
  }
  return Catch::Session().run(argc, argv);
}
