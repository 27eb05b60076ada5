// SPDX-License-Identifier: Apache-2.0
// What a test and the process that it records tell each other: files that are there or not.
#pragma once

#include <fstream>
#include <string>

#include "tests/examples/sim_process.h"

namespace gpuwhy {

class Flag {
 public:
  Flag(const TempDir& dir, const std::string& name) : path_(dir.File(name)) {}
  void Raise() const { std::ofstream(path_) << "x"; }
  bool IsUp() const { return std::filesystem::exists(path_); }
  // Without using the core up: looks every millisecond.
  void Wait() const {
    WaitUntil([this] {
      const timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
      if (!IsUp()) nanosleep(&moment, nullptr);
      return IsUp();
    });
  }

 private:
  std::string path_;
};

}  // namespace gpuwhy
