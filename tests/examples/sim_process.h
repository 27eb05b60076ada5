// SPDX-License-Identifier: Apache-2.0
// A process that uses the simulated GPU: forked from the test, which itself never does, so that
// each has its own device, settings and log. What it found out comes back as numbers; the checks
// are the test's. One that hangs is killed after a minute, which fails the test.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "examples/simgpu/core/clock.h"
#include "tests/catch.h"
#include "tests/examples/ground_truth.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {

using Environment = std::map<std::string, std::string>;
using Numbers = std::vector<int64_t>;

class SimProcess {
 public:
  // Calls are cheap unless `environment` says otherwise.
  explicit SimProcess(const std::function<Numbers()>& body, const Environment& environment = {});
  SimProcess(const SimProcess&) = delete;
  SimProcess& operator=(const SimProcess&) = delete;

  struct Outcome {
    Numbers numbers;
    GroundTruth truth;
  };
  Outcome Wait();

  pid_t pid() const { return pid_; }
  std::string log_path() const;

 private:
  [[noreturn]] void Run(const std::function<Numbers()>& body, const Environment& environment);

  TempDir dir_;
  pid_t pid_ = -1;
  int read_fd_ = -1;
  int write_fd_ = -1;
};

SimProcess::Outcome InProcess(const std::function<Numbers()>& body,
                              const Environment& environment = {});

// With a deadline of half a minute.
template <typename Condition>
void WaitUntil(const Condition& condition) {
  const int64_t deadline_ns = simgpu::NowNs() + 30'000'000'000;
  while (!condition()) {
    if (simgpu::NowNs() > deadline_ns) FAIL("what was waited for did not happen");
  }
}

}  // namespace gpuwhy
