// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/trace_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>

#include "tools/analysis/row_loader.h"
#include "tools/analysis/scan.h"
#include "tools/analysis/warm_up.h"

namespace gpuwhy {
struct TraceFacts::Cache {
  explicit Cache(const TraceDb& db) : names(db) {}

  Names names;
  std::optional<std::vector<DeviceOp>> ops;
  std::optional<std::vector<HostCall>> calls;
  std::optional<std::vector<BusyTimeline>> timelines;
  std::optional<std::vector<Ledger>> ledgers;
  std::optional<std::vector<Feeder>> feeders;
  ThreadHistories threads;
  std::map<int64_t, Intervals> overhead;  // by capture
};

std::string_view NameOf(View view) {
  switch (view) {
    case View::kDevice:
      return "device";
    case View::kQueue:
      return "device queue";
    case View::kApi:
      return "CUDA API";
    case View::kNone:
      return "none";
  }
  return "";
}

bool Scope::HasProcess(int64_t process_id) const {
  return process_ids.empty() ||
         std::find(process_ids.begin(), process_ids.end(), process_id) != process_ids.end();
}

bool Scope::HasGpu(int64_t gpu_id) const {
  return gpu_ids.empty() || std::find(gpu_ids.begin(), gpu_ids.end(), gpu_id) != gpu_ids.end();
}

TraceFacts::TraceFacts(const Request& request)
    : db_(request.db),
      window_(request.window),
      stop_(request.stop),
      scope_(request.scope),
      side_by_side_rows_(request.side_by_side_rows),
      cache_(std::make_unique<Cache>(request.db)) {}

TraceFacts::~TraceFacts() = default;

Result<std::unique_ptr<TraceFacts>> TraceFacts::Load(const Request& request) {
  int64_t duration_ns = 0;
  const Window& window = request.window;
  if (__builtin_sub_overflow(window.end_ns, window.start_ns, &duration_ns) ||
      __builtin_sub_overflow(window.trace_end_ns, window.trace_start_ns, &duration_ns)) {
    return CorruptInput("the trace claims to last longer than 292 years: its times are damaged");
  }
  std::unique_ptr<TraceFacts> facts(new TraceFacts(request));
  GPUWHY_ASSIGN_OR_RETURN(facts->actors_, Actors::Load(request.db));
  GPUWHY_ASSIGN_OR_RETURN(facts->presence_, Presence::Load(request.db));
  return facts;
}

View TraceFacts::view() const {
  if (Has(Collector::kGpuOp)) return View::kDevice;
  if (Has(Collector::kQueuedWork)) return View::kQueue;
  return Has(Collector::kApiCall) ? View::kApi : View::kNone;
}

std::string TraceFacts::ViewLimits() const {
  switch (view()) {
    case View::kDevice:
      return Has(Collector::kApiCall)
                 ? ""
                 : "the host was not observed: " + Presence::MissingText(Collector::kApiCall);
    case View::kQueue:
      return "view of the device's queue: idle is what the calls prove, from the return of a wait "
             "that found no work left until the next launch or copy; pauses between queued "
             "kernels are not seen; " +
             Presence::MissingText(Collector::kGpuOp);
    case View::kApi:
      return "API-level view: the device itself was not observed, idle means that no recorded "
             "CUDA call was in flight; " +
             Presence::MissingText(Collector::kGpuOp);
    case View::kNone:
      return "neither device operations nor CUDA calls were recorded: " +
             Presence::MissingText(Collector::kApiCall);
  }
  return "";
}

std::string_view BusyTableOf(View view) {
  switch (view) {
    case View::kDevice:
      return "gpu_op";
    case View::kQueue:
      return "queued_work";
    case View::kApi:
    case View::kNone:
      return "api_call";
  }
  return "";
}

Status TraceFacts::CheckStop() const {
  if (stop_.stop_requested()) return Error{ErrorCode::kCancelled, "stopped on request"};
  return {};
}

Status TraceFacts::KeepOps(Result<std::vector<DeviceOp>> loaded) const {
  GPUWHY_ASSIGN_OR_RETURN(auto ops, std::move(loaded));
  std::erase_if(ops, [&](const DeviceOp& op) {
    return !scope_.HasGpu(op.gpu_id) || !scope_.HasProcess(op.process_id);
  });
  cache_->ops = std::move(ops);
  return {};
}

Status TraceFacts::KeepCalls(Result<std::vector<HostCall>> loaded) const {
  GPUWHY_ASSIGN_OR_RETURN(auto calls, std::move(loaded));
  std::unordered_map<int64_t, int32_t> process_of;
  for (const ThreadInfo& thread : actors_.threads())
    process_of[thread.id] = static_cast<int32_t>(thread.process_id);
  for (HostCall& call : calls) {
    const auto it = process_of.find(call.thread_id);
    call.process_id = it == process_of.end() ? 0 : it->second;
  }
  std::erase_if(calls, [&](const HostCall& call) { return !scope_.HasProcess(call.process_id); });
  cache_->calls = std::move(calls);
  return {};
}

Result<bool> TraceFacts::IsLarge() const {
  if (cache_->ops) return false;
  GPUWHY_ASSIGN_OR_RETURN(
      const int64_t row_count,
      db_.QueryInt("SELECT min((SELECT max(id) FROM gpu_op), (SELECT max(id) FROM api_call))"));
  return row_count >= side_by_side_rows_;
}

// Who asks for calls asks for operations too: in a large trace a second handle reads them
// meanwhile.
Status TraceFacts::LoadSideBySide() const {
  GPUWHY_ASSIGN_OR_RETURN(const TraceDb second, TraceDb::OpenReadOnly(db_.uri()));
  second.SetInterrupt(stop_, std::nullopt);
  auto ops =
      std::async(std::launch::async, [&] { return LoadDeviceOps(second, Names(second), window_); });
  auto calls = LoadHostCalls(db_, cache_->names, window_);
  auto loaded_ops = ops.get();
  GPUWHY_RETURN_IF_ERROR(KeepOps(std::move(loaded_ops)));
  return KeepCalls(std::move(calls));
}

Result<const std::vector<DeviceOp>*> TraceFacts::DeviceOps() const {
  if (!cache_->ops) {
    GPUWHY_RETURN_IF_ERROR(CheckStop());
    GPUWHY_RETURN_IF_ERROR(KeepOps(LoadDeviceOps(db_, cache_->names, window_)));
  }
  return &*cache_->ops;
}

Result<const std::vector<HostCall>*> TraceFacts::HostCalls() const {
  if (!cache_->calls) {
    GPUWHY_RETURN_IF_ERROR(CheckStop());
    GPUWHY_ASSIGN_OR_RETURN(const bool is_large, IsLarge());
    GPUWHY_RETURN_IF_ERROR(is_large ? LoadSideBySide()
                                    : KeepCalls(LoadHostCalls(db_, cache_->names, window_)));
  }
  return &*cache_->calls;
}

Result<std::string> TraceFacts::NameText(int64_t name_id) const {
  return cache_->names.Text(name_id);
}

Result<const std::vector<BusyTimeline>*> TraceFacts::Timelines() const {
  if (cache_->timelines) return &*cache_->timelines;
  std::vector<BusyTimeline> timelines;
  if (view() == View::kDevice) {
    GPUWHY_ASSIGN_OR_RETURN(timelines, MakeDeviceTimelines());
  } else if (view() == View::kQueue) {
    GPUWHY_ASSIGN_OR_RETURN(BusyTimeline timeline, MakeQueueTimeline());
    timelines.push_back(std::move(timeline));
  } else if (view() == View::kApi) {
    GPUWHY_ASSIGN_OR_RETURN(const auto* calls, HostCalls());
    // A window that covers the trace ends one nanosecond after its last instant.
    const Interval span = {window_.start_ns, std::min(window_.end_ns, window_.trace_end_ns)};
    timelines.push_back(ApiTimeline(*calls, span, window_.start_ns <= window_.trace_start_ns));
  }
  for (BusyTimeline& timeline : timelines) {
    AssignLastGap(timeline);
    GPUWHY_RETURN_IF_ERROR(AskBeyondWindow(timeline));
  }
  cache_->timelines = std::move(timelines);
  return &*cache_->timelines;
}

// A window inside one gap holds no call that says whose turn it was; the calls around it do.
Status TraceFacts::AskBeyondWindow(BusyTimeline& timeline) const {
  if (window_.IsWholeTrace() || timeline.gaps.empty()) return {};
  Gap& gap = timeline.gaps.back();
  if (!gap.is_last || gap.thread_id != 0) return {};
  const auto take = [&](const Row& row) {
    const ThreadInfo* thread = actors_.FindThread(row.Int(0));
    const bool is_in_scope = thread != nullptr && scope_.HasProcess(thread->process_id);
    if (gap.thread_id == 0 && is_in_scope) gap.thread_id = thread->id;
  };
  GPUWHY_RETURN_IF_ERROR(
      db_.Query("SELECT thread_id FROM api_call WHERE start_ns >= ? ORDER BY start_ns LIMIT 100",
                {window_.end_ns}, take));
  return db_.Query(
      "SELECT thread_id FROM api_call WHERE start_ns < ? ORDER BY start_ns DESC LIMIT 100",
      {window_.end_ns}, take);
}

Result<std::vector<BusyTimeline>> TraceFacts::MakeDeviceTimelines() const {
  GPUWHY_ASSIGN_OR_RETURN(const auto* calls, HostCalls());
  GPUWHY_ASSIGN_OR_RETURN(const auto* ops, DeviceOps());
  std::optional<Interval> span;
  if (!window_.IsWholeTrace()) span = Interval{window_.start_ns, window_.end_ns};
  std::vector<BusyTimeline> timelines = DeviceTimelines(*ops, span);
  const LaunchIndex launches(*calls);
  for (BusyTimeline& timeline : timelines) {
    const GpuInfo* gpu = actors_.FindGpu(timeline.gpu_id);
    timeline.capture_id = gpu == nullptr ? 0 : gpu->capture_id;
    LinkLaunches(*ops, launches, timeline);
  }
  return timelines;
}

Result<BusyTimeline> TraceFacts::MakeQueueTimeline() const {
  GPUWHY_ASSIGN_OR_RETURN(const auto* calls, HostCalls());
  std::vector<QueuedWork> work;
  GPUWHY_RETURN_IF_ERROR(
      Scan(db_,
           {.table = "queued_work",
            .columns = "start_ns, duration_ns, first_call_id, process_id",
            .window = window_},
           [&](const Row& row) {
             if (!scope_.HasProcess(row.Int(3))) return;
             work.push_back({row.Int(0), EndOf(row.Int(0), row.Int(1)), row.Int(2)});
           }));
  std::ranges::sort(work, {}, &QueuedWork::start_ns);
  Interval span = {window_.start_ns, std::min(window_.end_ns, window_.trace_end_ns)};
  if (window_.IsWholeTrace() && !work.empty()) {
    span = {work.front().start_ns, work.front().end_ns};
    for (const QueuedWork& stretch : work)
      span.end_ns = std::max(span.end_ns, stretch.end_ns);
  }
  return QueueTimeline(work, span, *calls);
}

Result<const std::vector<Feeder>*> TraceFacts::Feeders() const {
  if (cache_->feeders) return &*cache_->feeders;
  GPUWHY_ASSIGN_OR_RETURN(const auto* timelines, Timelines());
  std::map<int64_t, Feeder> by_thread;
  for (const BusyTimeline& timeline : *timelines) {
    for (const Gap& gap : timeline.gaps) {
      if (gap.thread_id == 0) continue;
      Feeder& feeder = by_thread[gap.thread_id];
      feeder.thread_id = gap.thread_id;
      feeder.idle_ns += gap.duration_ns();
      ++feeder.gap_count;
    }
  }
  std::vector<Feeder> feeders;
  feeders.reserve(by_thread.size());
  for (const auto& [thread_id, feeder] : by_thread)
    feeders.push_back(feeder);
  std::stable_sort(feeders.begin(), feeders.end(),
                   [](const Feeder& a, const Feeder& b) { return a.idle_ns > b.idle_ns; });
  cache_->feeders = std::move(feeders);
  return &*cache_->feeders;
}

Status TraceFacts::LoadThreads(const std::vector<int64_t>& thread_ids) const {
  std::vector<int64_t> missing;
  for (const int64_t id : thread_ids) {
    if (!cache_->threads.contains(id)) missing.push_back(id);
  }
  if (missing.empty()) return {};
  GPUWHY_RETURN_IF_ERROR(CheckStop());
  GPUWHY_ASSIGN_OR_RETURN(const auto* calls, HostCalls());
  GPUWHY_ASSIGN_OR_RETURN(ThreadHistories loaded, LoadThreadHistories({.db = db_,
                                                                       .names = cache_->names,
                                                                       .actors = actors_,
                                                                       .window = window_,
                                                                       .thread_ids = missing,
                                                                       .calls = *calls}));
  cache_->threads.merge(loaded);
  return {};
}

Result<const ThreadActivity*> TraceFacts::ActivityOf(int64_t thread_id) const {
  GPUWHY_RETURN_IF_ERROR(LoadThreads({thread_id}));
  return &cache_->threads.at(thread_id).activity;
}

Result<const ThreadRecord*> TraceFacts::RecordOf(int64_t thread_id) const {
  GPUWHY_RETURN_IF_ERROR(LoadThreads({thread_id}));
  return &cache_->threads.at(thread_id).record;
}

// Work of the recorder itself, by capture.
Result<std::map<int64_t, Intervals>> TraceFacts::LoadOverhead() const {
  std::map<int64_t, std::vector<Interval>> found;
  if (Has(Collector::kRange)) {
    GPUWHY_RETURN_IF_ERROR(Scan(db_,
                                {.table = "range",
                                 .columns = "thread_id, start_ns, duration_ns",
                                 .window = window_,
                                 .condition = "category = 'overhead'"},
                                [&](const Row& row) {
                                  const ProcessInfo* process = actors_.ProcessOfThread(row.Int(0));
                                  found[process == nullptr ? 0 : process->capture_id].push_back(
                                      {row.Int(1), EndOf(row.Int(1), row.Int(2))});
                                }));
  }
  std::map<int64_t, Intervals> overhead;
  for (auto& [capture_id, intervals] : found)
    overhead[capture_id] = Normalize(std::move(intervals));
  return overhead;
}

Result<const std::vector<Ledger>*> TraceFacts::Ledgers() const {
  if (cache_->ledgers) return &*cache_->ledgers;
  GPUWHY_ASSIGN_OR_RETURN(const auto* timelines, Timelines());
  GPUWHY_ASSIGN_OR_RETURN(const auto* feeders, Feeders());
  std::vector<int64_t> thread_ids;
  for (const Feeder& feeder : *feeders)
    thread_ids.push_back(feeder.thread_id);
  GPUWHY_RETURN_IF_ERROR(LoadThreads(thread_ids));
  GPUWHY_ASSIGN_OR_RETURN(cache_->overhead, LoadOverhead());
  std::vector<Ledger> ledgers;
  for (const BusyTimeline& timeline : *timelines) {
    GPUWHY_RETURN_IF_ERROR(CheckStop());
    ledgers.push_back(MakeLedger(InputOf(timeline)));
  }
  cache_->ledgers = std::move(ledgers);
  return &*cache_->ledgers;
}

LedgerInput TraceFacts::InputOf(const BusyTimeline& timeline) const {
  static const Intervals none;
  const auto overhead = cache_->overhead.find(timeline.capture_id);
  return {.gaps = timeline.gaps,
          .overhead = overhead == cache_->overhead.end() ? none : overhead->second,
          .record_of = [this](int64_t thread_id) {
            const auto thread = cache_->threads.find(thread_id);
            return thread == cache_->threads.end() ? nullptr : &thread->second.record;
          }};
}

Result<ClassTimes> TraceFacts::TimesOf(const BusyTimeline& timeline, const Gap& gap) const {
  GPUWHY_RETURN_IF_ERROR(Ledgers());
  return TimesOfGap(InputOf(timeline), gap);
}

Result<WarmUp> TraceFacts::FindWarmUp() const {
  GPUWHY_ASSIGN_OR_RETURN(const auto* calls, HostCalls());
  return FindWarmUpEnd(db_, *calls, window_);
}

Result<TraceFacts::Totals> TraceFacts::Sum() const {
  GPUWHY_ASSIGN_OR_RETURN(const auto* timelines, Timelines());
  GPUWHY_ASSIGN_OR_RETURN(const auto* ledgers, Ledgers());
  Totals totals;
  for (size_t i = 0; i < timelines->size(); ++i) {
    const BusyTimeline& timeline = (*timelines)[i];
    totals.span_ns += timeline.span.duration_ns();
    totals.busy_ns += timeline.busy_ns;
    totals.idle_ns += timeline.idle_ns;
    GPUWHY_CHECK((*ledgers)[i].idle_ns == timeline.idle_ns);
    for (size_t k = 0; k < totals.class_ns.size(); ++k)
      totals.class_ns[k] += (*ledgers)[i].totals[k].time_ns;
  }
  return totals;
}

}  // namespace gpuwhy
