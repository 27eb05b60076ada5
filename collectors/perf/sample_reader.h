// SPDX-License-Identifier: Apache-2.0
// Turns the lines of a `perf script` text into rows, sample by sample. A sample ends at a blank
// line, at the next sample or at the end of the file. What cannot be used is counted. One thread at
// a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/perf/frame_book.h"
#include "collectors/perf/sample_header.h"
#include "collectors/perf/thread_book.h"
#include "collectors/recorder.h"

namespace gpuwhy::perf {

class SampleReader {
 public:
  explicit SampleReader(Recorder& recorder)
      : recorder_(recorder), frames_(recorder), threads_(recorder) {}

  void Take(std::string_view line);  // no comment
  void Finish();

  // Lines that were samples, branches or reports of perf itself.
  int64_t UnderstoodCount() const { return understood_count_; }
  // Samples kept, by event.
  const std::map<std::string, int64_t, std::less<>>& EventCounts() const { return event_counts_; }

 private:
  void BeginSample(std::string_view line);
  void EndSample();
  bool TakeFrame(std::string_view line);
  void Push(const FrameLine& frame);
  void PlaceInlined(const FrameLine& into);
  void WriteSample();
  void CountWithoutStack();
  void CountEvent();
  void CountOther(std::string_view line);

  Recorder& recorder_;
  FrameBook frames_;
  ThreadBook threads_;

  // The open sample.
  bool is_open_ = false;
  bool has_text_ = false;  // a tracepoint's
  std::string line_;       // what header_ points into
  SampleHeader header_;
  std::vector<int64_t> stack_;        // frames, innermost first; 0 is an inlined one to come
  std::vector<std::string> inlined_;  // symbols of those

  std::map<std::string, int64_t, std::less<>> event_counts_;
  int64_t understood_count_ = 0;
  bool has_times_ = false;  // some sample has one
};

}  // namespace gpuwhy::perf
