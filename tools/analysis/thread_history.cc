// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/thread_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/analysis/scan.h"

namespace gpuwhy {
namespace {

// Rows must hold at least this share of the counted off-CPU time before the rest of the time is
// called "on a core".
constexpr double kMinStoredRatio = 0.9;

IdleClass ClassOfReason(std::string_view reason) {
  if (reason == "preempted") return IdleClass::kRunnable;
  if (reason == "io") return IdleClass::kBlockIo;
  if (reason == "lock") return IdleClass::kLock;
  if (reason == "fault") return IdleClass::kPageFault;
  if (reason == "network") return IdleClass::kNetwork;
  if (reason == "pipe" || reason == "poll" || reason == "child") return IdleClass::kHandOver;
  if (reason == "sleep" || reason == "timer") return IdleClass::kSleep;
  return IdleClass::kOffCpuUnknown;
}

IdleClass ClassOfCall(const HostCall& call) {
  switch (call.kind) {
    case CallKind::kSync:
      return IdleClass::kSyncCall;
    case CallKind::kCopy:
      return IdleClass::kCopyCall;
    case CallKind::kAllocation:
      return IdleClass::kAllocationCall;
    case CallKind::kModuleLoad:
      return IdleClass::kModuleLoad;
    case CallKind::kLaunch:
      return call.is_pageable ? IdleClass::kCopyCall : IdleClass::kLaunchCall;
    case CallKind::kOther:
      return IdleClass::kLaunchCall;
  }
  return IdleClass::kLaunchCall;
}

// Intervals as they come; sets are made at the end.
struct Collected {
  std::array<std::vector<Interval>, kIdleClassCount> states;
  std::vector<Interval> off_cpu;
  std::vector<Interval> code;
  std::vector<Interval> disk_reads;
  int64_t switch_count = 0;

  std::vector<Interval>& of(IdleClass idle_class) {
    return states[static_cast<size_t>(idle_class)];
  }
};

class Loader {
 public:
  explicit Loader(const ThreadHistoryRequest& request) : request_(request) {
    for (const int64_t thread_id : request.thread_ids)
      collected_.try_emplace(thread_id);
  }

  Result<ThreadHistories> Load() {
    AddCalls();
    GPUWHY_RETURN_IF_ERROR(AddOffCpu());
    GPUWHY_RETURN_IF_ERROR(AddHostEvents());
    GPUWHY_RETURN_IF_ERROR(AddRanges());
    ThreadHistories histories;
    for (auto& [thread_id, collected] : collected_)
      histories.emplace(thread_id, Finish(thread_id, collected));
    GPUWHY_RETURN_IF_ERROR(AddCounts(histories));
    return histories;
  }

 private:
  Collected* Find(int64_t thread_id) {
    const auto it = collected_.find(thread_id);
    return it == collected_.end() ? nullptr : &it->second;
  }

  std::string IsOneOfThem() const {
    return fmt::format("thread_id IN ({})", IdList(request_.thread_ids));
  }

  void AddCalls() {
    for (const HostCall& call : request_.calls) {
      if (Collected* thread = Find(call.thread_id)) {
        thread->of(ClassOfCall(call)).push_back({call.start_ns, call.end_ns});
      }
    }
  }

  // Of the whole trace, because roll-ups count the whole trace.
  Status AddOffCpu() {
    Window all = request_.window;
    all.start_ns = all.trace_start_ns;
    all.end_ns = INT64_MAX;
    return Scan(request_.db,
                {.table = "off_cpu",
                 .columns = "thread_id, start_ns, duration_ns, runnable_ns, reason",
                 .window = all,
                 .condition = IsOneOfThem()},
                [&](const Row& row) {
                  if (Collected* thread = Find(row.Int(0))) AddOffCpuRow(row, *thread);
                });
  }

  void AddOffCpuRow(const Row& row, Collected& thread) const {
    const Interval interval = {row.Int(1), EndOf(row.Int(1), row.Int(2))};
    const int64_t runnable_ns =
        std::clamp(row.Int(3), int64_t{0}, std::max(int64_t{0}, interval.duration_ns()));
    thread.off_cpu.push_back(interval);
    // A thread is woken first and then waits for a core.
    thread.of(ClassOfReason(row.Text(4)))
        .push_back({interval.start_ns, interval.end_ns - runnable_ns});
    thread.of(IdleClass::kRunnable).push_back({interval.end_ns - runnable_ns, interval.end_ns});
    const Window& window = request_.window;
    if (interval.start_ns < window.end_ns && interval.end_ns > window.start_ns) {
      ++thread.switch_count;
    }
  }

  Status AddHostEvents() {
    return Scan(request_.db,
                {.table = "host_event",
                 .columns = "thread_id, start_ns, duration_ns, kind",
                 .window = request_.window,
                 .condition = IsOneOfThem() + " AND kind IN ('fault','mmap_lock','block_read')"},
                [&](const Row& row) {
                  Collected* thread = Find(row.Int(0));
                  if (thread == nullptr) return;
                  const bool is_read = row.Text(3) == "block_read";
                  (is_read ? thread->disk_reads : thread->of(IdleClass::kPageFault))
                      .push_back({row.Int(1), EndOf(row.Int(1), row.Int(2))});
                });
  }

  Status AddRanges() {
    NameMemo<bool> is_data_loader(request_.names, &IsDataLoaderName);
    NameMemo<bool> is_step(request_.names, &IsStepName);
    GPUWHY_RETURN_IF_ERROR(
        Scan(request_.db,
             {.table = "range",
              .columns = "thread_id, start_ns, duration_ns, name_id, "
                         // Operator: what traces of 2020 and 2021 call cpu_op.
                         "category IN ('cpu_op','python_function','Operator')",
              .window = request_.window,
              .condition = IsOneOfThem()},
             [&](const Row& row) {
               Collected* thread = Find(row.Int(0));
               if (thread == nullptr) return;
               const Interval interval = {row.Int(1), EndOf(row.Int(1), row.Int(2))};
               if (is_data_loader.Get(row.Int(3))) {
                 thread->of(IdleClass::kDataLoader).push_back(interval);
               } else if (row.Int(4) != 0 && !is_step.Get(row.Int(3))) {
                 thread->code.push_back(interval);
               }
             }));
    return is_data_loader.status();
  }

  // Old traces have ProfilerStep as an operator: it covers everything and tells nothing.
  static bool IsStepName(std::string_view name) { return name.starts_with("ProfilerStep"); }

  ThreadHistory Finish(int64_t thread_id, Collected& collected) const {
    ThreadHistory history;
    ThreadRecord& record = history.record;
    record.thread_id = thread_id;
    for (size_t i = 0; i < collected.states.size(); ++i)
      record.states[i] = Normalize(std::move(collected.states[i]));
    record.code = Normalize(std::move(collected.code));
    const Intervals off_cpu = Normalize(std::move(collected.off_cpu));
    // A read explains a wait only where the thread did wait.
    auto& block_io = record.states[static_cast<size_t>(IdleClass::kBlockIo)];
    block_io = Union(block_io, Intersect(Normalize(std::move(collected.disk_reads)), off_cpu));
    record.is_scheduling_known = !off_cpu.empty();
    record.end_ns = EndOfThread(thread_id);

    const Interval window = {request_.window.start_ns, request_.window.end_ns};
    const auto& runnable = record.states[static_cast<size_t>(IdleClass::kRunnable)];
    history.activity = {.thread_id = thread_id,
                        .is_known = record.is_scheduling_known,
                        .off_cpu = Clip(off_cpu, window),
                        .runnable_ns = LengthWithin(runnable, window),
                        .switch_count = collected.switch_count};
    history.activity.off_cpu_ns = Length(history.activity.off_cpu);
    stored_ns_[thread_id] = Length(off_cpu);
    return history;
  }

  int64_t EndOfThread(int64_t thread_id) const {
    const ThreadInfo* thread = request_.actors.FindThread(thread_id);
    if (thread == nullptr) return INT64_MAX;
    if (thread->end_ns) return *thread->end_ns;
    const ProcessInfo* process = request_.actors.FindProcess(thread->process_id);
    return process == nullptr ? INT64_MAX : process->end_ns.value_or(INT64_MAX);
  }

  Status AddCounts(ThreadHistories& histories) const {
    GPUWHY_ASSIGN_OR_RETURN(
        Statement statement,
        request_.db.Prepare(fmt::format("SELECT thread_id, sum(event_count), sum(sum_ns) FROM "
                                        "latency WHERE source = 'off_cpu' AND {} GROUP BY 1",
                                        IsOneOfThem())));
    while (true) {
      GPUWHY_ASSIGN_OR_RETURN(const bool has_row, statement.Step());
      if (!has_row) return {};
      const Row row = statement.row();
      ThreadHistory& history = histories.at(row.Int(0));
      history.activity.counted_switch_count = row.Int(1);
      history.activity.counted_off_cpu_ns = row.Int(2);
      const auto stored_ns = static_cast<double>(stored_ns_.at(row.Int(0)));
      if (stored_ns < kMinStoredRatio * static_cast<double>(row.Int(2))) {
        history.record.is_scheduling_known = false;
        history.activity.is_known = false;
      }
    }
  }

  const ThreadHistoryRequest& request_;
  std::unordered_map<int64_t, Collected> collected_;
  mutable std::unordered_map<int64_t, int64_t> stored_ns_;
};

}  // namespace

bool IsDataLoaderName(std::string_view name) {
  for (const std::string_view part : {"DataLoader", "_next_data", "dataloader.py"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

Result<ThreadHistories> LoadThreadHistories(const ThreadHistoryRequest& request) {
  if (request.thread_ids.empty()) return ThreadHistories();
  return Loader(request).Load();
}

}  // namespace gpuwhy
