// SPDX-License-Identifier: Apache-2.0
// One recording from attaching to the closed trace: starts the program, reads, shows each second,
// and knows when it is over. One thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "collectors/ebpf/live_recording.h"
#include "schema/base/result.h"
#include "server/commands/live_view.h"
#include "server/commands/stop_on_signal.h"
#include "server/commands/trace_options.h"
#include "server/commands/traced_child.h"

namespace gpuwhy {

// What the summary tells beside what the database holds.
struct TraceOutcome {
  double duration_seconds = 0;
  int64_t event_count = 0;
  int64_t stored_count = 0;
  std::string command;  // empty when none was started; cleaned
  pid_t command_pid = 0;
  std::optional<int> command_status;  // absent: it still runs
};

class TraceRun {
 public:
  TraceRun(const TraceOptions& options, const StopOnSignal& stop)
      : options_(options), stop_(stop) {}

  // Everything is attached and the program runs when this returns.
  Status Start(const TraceDb& db, TracePlan plan);
  // Records to the end.
  Status Record();
  TraceOutcome Outcome() const;

 private:
  using Clock = std::chrono::steady_clock;

  Status ReadAndShow(LiveView& view);
  Status LetProgramEnd(LiveView& view);
  bool IsOver(const LiveView& view);
  LiveState StateOf(SecondSummary second) const;
  std::string TargetText() const;

  const TraceOptions& options_;
  const StopOnSignal& stop_;
  std::string database_;
  std::optional<std::chrono::nanoseconds> duration_;
  std::unique_ptr<TracedChild> child_;
  std::unique_ptr<LiveRecording> recording_;
  Clock::time_point start_;
  Clock::time_point end_;
  Clock::time_point next_second_;
};

}  // namespace gpuwhy
