// SPDX-License-Identifier: Apache-2.0
// Rows of threads. A thread that takes another name (exec, pthread_setname_np) gets a row for each,
// so that a sample keeps the name it was taken under. Where perf prints no process id, the thread's
// id stands for it. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "collectors/perf/sample_header.h"
#include "collectors/recorder.h"

namespace gpuwhy::perf {

class ThreadBook {
 public:
  explicit ThreadBook(Recorder& recorder) : recorder_(recorder) {}
  int64_t ThreadOf(const SampleHeader& header);

 private:
  int64_t NewThread(int64_t pid, int64_t tid, const std::string& comm);

  Recorder& recorder_;
  std::map<std::tuple<int64_t, int64_t, std::string>, int64_t> threads_;
  std::set<int64_t> named_processes_;
};

}  // namespace gpuwhy::perf
