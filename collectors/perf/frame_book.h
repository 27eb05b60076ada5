// SPDX-License-Identifier: Apache-2.0
// Rows of frames by the text that perf printed for them: few are repeated very often, so a frame is
// demangled, cleaned and interned once. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "collectors/perf/frame_line.h"
#include "collectors/recorder.h"

namespace gpuwhy::perf {

class FrameBook {
 public:
  explicit FrameBook(Recorder& recorder) : recorder_(recorder) {}
  int64_t FrameOf(const FrameLine& line);

 private:
  int64_t Intern(const FrameLine& line, bool is_kernel);

  Recorder& recorder_;
  std::string key_;
  std::unordered_map<std::string, int64_t> frames_;
};

}  // namespace gpuwhy::perf
