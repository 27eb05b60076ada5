// SPDX-License-Identifier: Apache-2.0
// Who an event belongs to. Kineto writes host rows with pid = process and tid = thread, GPU rows
// with pid = device and tid = stream, the profiler's own cost with pid -1, and texts in place of
// numbers now and then. One capture, one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/kineto/metadata.h"
#include "collectors/kineto/trace_event.h"
#include "collectors/recorder.h"

namespace gpuwhy::kineto {

class Actors {
 public:
  explicit Actors(Recorder& recorder) : recorder_(recorder) {}

  // The thread of a host event. The first process seen so is the main one.
  int64_t HostThread(const TraceEvent& event);
  // A thread of the main process for what has none: the profiler's cost, spans drawn on a stream.
  int64_t OverheadThread(const TraceEvent& event);
  int64_t DeviceThread(const TraceEvent& event);
  // A thread of the event's process that holds its async spans, which need not nest.
  int64_t AsyncThread(const TraceEvent& event);
  // The process that GPU work belongs to: a file is one process, whose pid may come later.
  int64_t MainProcess();
  int64_t Gpu(const TraceEvent& event);
  static std::optional<int64_t> StreamOf(const TraceEvent& event);

  // Remembers process_name and thread_name; rows get them in Finish.
  void Name(const TraceEvent& event);
  void Finish(const TraceMetadata& metadata, std::optional<int64_t> rank);

 private:
  using Pair = std::pair<int64_t, int64_t>;
  struct Slot {
    int64_t pid = 0;
    int64_t tid = 0;
    int64_t thread_id = 0;
  };

  int64_t NumberOf(const TraceId& id);
  int64_t Process(int64_t pid);
  int64_t Thread(int64_t pid, int64_t tid);
  int64_t NamedThread(int64_t process_id, int64_t tid, const std::string& name);
  static int64_t DeviceOf(const TraceEvent& event);

  Recorder& recorder_;
  int64_t main_process_ = 0;
  bool is_main_pid_known_ = false;
  int64_t main_pid_ = 0;
  std::map<int64_t, int64_t> processes_;
  std::map<Pair, int64_t> threads_;
  std::map<std::string, int64_t, std::less<>> text_ids_;
  std::map<int64_t, int64_t> gpus_;
  std::map<int64_t, std::string> process_names_;
  std::map<Pair, std::string> thread_names_;
  // Neighbouring events are of few threads: a direct-mapped cache before the maps.
  std::array<Slot, 64> cache_{};
};

}  // namespace gpuwhy::kineto
