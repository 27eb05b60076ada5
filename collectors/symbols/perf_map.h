// SPDX-License-Identifier: Apache-2.0
// Functions made by a JIT compiler, from the /tmp/perf-PID.map that its process writes:
//   7f1c3a001000 1a0 py::forward:/app/model.py
// Opened while the process lives, read when asked, and again when it has grown. Only a regular file
// of the process's own user or of root is believed. One thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/process/unique_fd.h"
#include "collectors/symbols/frame.h"
#include "collectors/symbols/named_ranges.h"

namespace gpuwhy {

class PerfMap {
 public:
  // Nothing when the process has no such file (yet).
  static std::optional<PerfMap> Open(pid_t pid);

  std::optional<Frame> Resolve(uint64_t address);
  int64_t skipped_line_count() const { return skipped_line_count_; }

 private:
  explicit PerfMap(UniqueFd fd) : fd_(std::move(fd)) {}
  bool ReadIfGrown();

  UniqueFd fd_;
  size_t read_bytes_ = 0;
  NamedRanges functions_;
  int64_t skipped_line_count_ = 0;
};

// Adds the lines of `text` that are whole; returns how many were of another form.
int64_t AddPerfMapLines(std::string_view text, NamedRanges& functions);

}  // namespace gpuwhy
