// SPDX-License-Identifier: Apache-2.0
// What several tools and detectors need to know about one trace in one window, computed on first
// use and kept for the calls that follow. Owns what it computes; borrows the handle, which must
// outlive it. One thread. Rows that are absent are never read as "idle" or "on a core": every
// answer says what was observed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/analysis/actors.h"
#include "tools/analysis/collectors.h"
#include "tools/analysis/intervals.h"
#include "tools/analysis/ledger.h"
#include "tools/analysis/rows.h"
#include "tools/analysis/thread_history.h"
#include "tools/analysis/timelines.h"
#include "tools/analysis/warm_up.h"
#include "tools/support/window.h"

namespace gpuwhy {

// What "busy" and "idle" mean in a trace.
enum class View {
  kDevice,  // gpu_op rows: the device worked or did not
  kQueue,   // queued_work rows: the device had work queued or had none
  kApi,     // no gpu_op rows: a CUDA call was in flight or was not
  kNone,    // neither was recorded
};

// "device", "device queue" or "CUDA API".
std::string_view NameOf(View view);
// Whether idle time is the device's own, proven gap by gap.
inline bool IsOfDevice(View view) {
  return view == View::kDevice || view == View::kQueue;
}
// The table whose rows make the view busy.
std::string_view BusyTableOf(View view);

// Limits what counts as work; empty means everything.
struct Scope {
  std::vector<int64_t> process_ids;
  std::vector<int64_t> gpu_ids;

  bool operator==(const Scope&) const = default;
  bool HasProcess(int64_t process_id) const;
  bool HasGpu(int64_t gpu_id) const;
};

// A thread that was to launch the operation after some gap (or to make the next call).
struct Feeder {
  int64_t thread_id = 0;
  int64_t idle_ns = 0;
  int64_t gap_count = 0;
};

class TraceFacts {
 public:
  struct Request {
    const TraceDb& db;
    Window window;
    std::stop_token stop;
    Scope scope;
    // From this many rows of each table on, two are loaded at once.
    int64_t side_by_side_rows = 200'000;
  };

  static Result<std::unique_ptr<TraceFacts>> Load(const Request& request);
  ~TraceFacts();
  TraceFacts(const TraceFacts&) = delete;
  TraceFacts& operator=(const TraceFacts&) = delete;

  const TraceDb& db() const { return db_; }
  const Window& window() const { return window_; }
  const Scope& scope() const { return scope_; }
  const Actors& actors() const { return actors_; }
  bool Has(Collector collector) const { return presence_.Has(collector); }
  View view() const;
  // One sentence for notes: what was not recorded that limits this view; empty when nothing.
  std::string ViewLimits() const;
  Status CheckStop() const;  // kCancelled after a stop
  void SetStop(std::stop_token stop) { stop_ = std::move(stop); }

  // Rows in scope that overlap the window, ascending by start; sync rows are left out.
  Result<const std::vector<DeviceOp>*> DeviceOps() const;
  // Calls in scope, children included. Ascending by start.
  Result<const std::vector<HostCall>*> HostCalls() const;
  // Interned text, raw: CleanText before it enters a sentence. Empty when unknown.
  Result<std::string> NameText(int64_t name_id) const;

  // One per device with work, or one for the CUDA API; none in View::kNone.
  Result<const std::vector<BusyTimeline>*> Timelines() const;
  // The ledger of each timeline, parallel to Timelines().
  Result<const std::vector<Ledger>*> Ledgers() const;
  // Threads that end gaps, the one with most idle time first.
  Result<const std::vector<Feeder>*> Feeders() const;
  // Loads what is known of these threads in one pass; for before several of the two calls below.
  Status LoadThreads(const std::vector<int64_t>& thread_ids) const;
  Result<const ThreadActivity*> ActivityOf(int64_t thread_id) const;
  // The parts of one gap of a timeline, after Ledgers().
  Result<ClassTimes> TimesOf(const BusyTimeline& timeline, const Gap& gap) const;
  // What the thread did by cause class; ranges of the data loader are states of kDataLoader.
  Result<const ThreadRecord*> RecordOf(int64_t thread_id) const;
  Result<WarmUp> FindWarmUp() const;
  // What `make` finds in this trace; several detectors ask the same question.
  template <typename T>
  Result<const T*> Once(Result<T> (*make)(const TraceFacts&)) const;

  // Sums over Timelines().
  struct Totals {
    int64_t span_ns = 0;
    int64_t busy_ns = 0;
    int64_t idle_ns = 0;
    ClassTimes class_ns{};
  };
  Result<Totals> Sum() const;

 private:
  struct Cache;
  explicit TraceFacts(const Request& request);
  Status KeepOps(Result<std::vector<DeviceOp>> loaded) const;
  Status KeepCalls(Result<std::vector<HostCall>> loaded) const;
  Result<bool> IsLarge() const;
  Status LoadSideBySide() const;
  Result<std::vector<BusyTimeline>> MakeDeviceTimelines() const;
  Result<BusyTimeline> MakeQueueTimeline() const;
  Status AskBeyondWindow(BusyTimeline& timeline) const;
  Result<std::map<int64_t, Intervals>> LoadOverhead() const;
  LedgerInput InputOf(const BusyTimeline& timeline) const;

  const TraceDb& db_;
  Window window_;
  std::stop_token stop_;
  Scope scope_;
  int64_t side_by_side_rows_;
  Actors actors_;
  Presence presence_;
  std::unique_ptr<Cache> cache_;
  mutable std::map<void (*)(), std::shared_ptr<const void>>
      derived_;  // by the function that made it
};

template <typename T>
Result<const T*> TraceFacts::Once(Result<T> (*make)(const TraceFacts&)) const {
  std::shared_ptr<const void>& kept = derived_[reinterpret_cast<void (*)()>(make)];
  if (kept == nullptr) {
    GPUWHY_RETURN_IF_ERROR(CheckStop());
    GPUWHY_ASSIGN_OR_RETURN(T made, make(*this));
    kept = std::make_shared<const T>(std::move(made));
  }
  return static_cast<const T*>(kept.get());
}

}  // namespace gpuwhy
