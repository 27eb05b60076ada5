// SPDX-License-Identifier: Apache-2.0
// A recording of live processes, from attaching to the finished trace: reads events and roll-ups,
// looks for new libraries and processes, commits each second, so that a reader sees the trace grow
// and a crash loses at most the last second. One thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "collectors/ebpf/clock.h"
#include "collectors/ebpf/event_decoder.h"
#include "collectors/ebpf/kernel_probes.h"
#include "collectors/ebpf/library_watch.h"
#include "collectors/ebpf/overhead_budget.h"
#include "collectors/ebpf/overhead_meter.h"
#include "collectors/ebpf/python_book.h"
#include "collectors/ebpf/python_watch.h"
#include "collectors/ebpf/roll_up_rows.h"
#include "collectors/ebpf/second_book.h"
#include "collectors/log_limit.h"
#include "collectors/retention.h"
#include "collectors/system/system_pollers.h"
#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

struct RecordingOptions {
  // What to follow. All empty: every process that calls a GPU library. Children are followed too.
  std::vector<pid_t> pids;
  std::string comm;    // processes of this name, now and later
  std::string cgroup;  // path of a cgroup: its members, now and later
  ProbeSettings probes;
  std::string tool_version;
  int64_t max_db_bytes = 0;           // the oldest rows go when the file is larger; 0: all are kept
  int64_t max_log_bytes = 256 << 20;  // of the database's log, which grows while others read
  double overhead_budget_pct = 0;     // of the recorded processes' CPU time; 0: no limit
};

class LiveRecording {
 public:
  // Everything is attached when this returns. `db` must outlive the recording.
  static Result<std::unique_ptr<LiveRecording>> Start(const TraceDb& db, RecordingOptions options);

  Status Follow(pid_t pid);
  // Reads what there is, waiting up to `longest_wait` for it.
  Status Read(std::chrono::milliseconds longest_wait);
  // Once a second: roll-ups, new libraries, counters, commit. Tells what the second was.
  Result<SecondSummary> EndSecond();
  // Reads the rest and closes the trace.
  Status Finish();

  const std::vector<ProbedLibrary>& libraries() const { return libraries_->libraries(); }
  std::vector<pid_t> Targets() const { return probes_->Targets(); }
  // What recording cost in the last second, and what was given up to keep the budget.
  const SecondCost& last_cost() const { return last_cost_; }
  const std::vector<std::string_view>& shed() const { return budget_->shed(); }
  Recorder& recorder() { return *recorder_; }
  // Counted since the start, and the rows among them; valid after Finish too.
  int64_t event_count() const { return second_->total_event_count(); }
  int64_t stored_count() const { return second_->total_stored_count(); }

 private:
  explicit LiveRecording(const TraceDb& db, RecordingOptions options)
      : db_(db), options_(std::move(options)) {}
  Status Attach();
  Status FollowWanted();
  void LookAround();
  void FollowPython(const EventHeader& header);
  void LookAtChanged();
  std::vector<pid_t> PidsToLookAt() const;
  void MeasureCosts();
  void PollSystem();
  void OnEvent(const EventHeader& header, size_t size_bytes);
  CostPart PartOf(const RollUpKey& key) const;
  Status WriteRollUps();
  Status WriteSecond();
  void CountLosses();
  SecondSummary Summary();
  bool FollowsAll() const {
    return options_.pids.empty() && options_.comm.empty() && options_.cgroup.empty();
  }

  const TraceDb& db_;
  RecordingOptions options_;
  ClockOffset clock_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<KernelProbes> probes_;
  std::unique_ptr<ProcessBook> processes_;
  std::unique_ptr<PythonBook> python_;
  std::unique_ptr<PythonWatch> python_watch_;
  std::unique_ptr<StackBook> stacks_;
  std::unique_ptr<CallRows> calls_;
  std::unique_ptr<EventDecoder> decoder_;
  std::unique_ptr<RollUpRows> roll_ups_;
  std::unique_ptr<SecondBook> second_;
  std::unique_ptr<LibraryWatch> libraries_;
  std::unique_ptr<SystemPollers> system_;
  std::unique_ptr<OverheadMeter> meter_;
  std::unique_ptr<OverheadBudget> budget_;
  std::unique_ptr<Retention> retention_;
  std::unique_ptr<LogLimit> log_;
  std::array<uint64_t, kLossCount> losses_before_{};  // of measuring
  SecondCost last_cost_;
};

}  // namespace gpuwhy
