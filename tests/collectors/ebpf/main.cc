// SPDX-License-Identifier: Apache-2.0
// Exit code 4, with the reason, where no BPF program can be loaded.
#include <cstdio>

#include "tests/collectors/ebpf/recorded.h"
#include "tests/support/catch_runner.h"

int main(int argc, char** argv) {
  if (const auto reason = gpuwhy::WhyNotRecordable()) {
    std::printf("skipped: %s\n", reason->c_str());
    return 4;
  }
  return gpuwhy::RunCatch(argc, argv);
}
