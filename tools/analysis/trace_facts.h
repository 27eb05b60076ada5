// SPDX-License-Identifier: Apache-2.0
// What several tools and detectors need to know about one trace in one window, computed on first
// use and kept for the call. Owns what it computes; borrows the handle, which must outlive it. One
// thread. Rows that are absent are never read as "idle" or "on a core": every answer says what was
// observed.
#pragma once

#include <cstdint>
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
#include "tools/support/window.h"

namespace gpuwhy {

// What "busy" and "idle" mean in a trace.
enum class View {
  kDevice,  // gpu_op rows: the device worked or did not
  kApi,     // no gpu_op rows: a CUDA call was in flight or was not
  kNone,    // neither was recorded
};

// "device" or "CUDA API".
std::string_view NameOf(View view);

// Limits what counts as work; empty means everything.
struct Scope {
  std::vector<int64_t> process_ids;
  std::optional<int64_t> gpu_id;

  bool HasProcess(int64_t process_id) const;
  bool HasGpu(int64_t id) const { return !gpu_id || *gpu_id == id; }
};

// Busy and idle time of one device, or of the CUDA API of everything in scope (gpu_id 0).
struct BusyTimeline {
  int64_t gpu_id = 0;
  int64_t capture_id = 0;
  // Device view of a whole trace: first operation start to last operation end. API view and given
  // windows: the window.
  Interval span;
  Intervals busy;
  std::vector<Gap> gaps;  // every one, however short; ascending
  int64_t busy_ns = 0;
  int64_t idle_ns = 0;  // busy_ns + idle_ns = span
};

// The time a thread did not run, from off_cpu rows clipped to the window.
struct ThreadActivity {
  int64_t thread_id = 0;
  // False: scheduling of this thread was not recorded, or too little of it was kept to tell.
  bool is_known = false;
  Intervals off_cpu;
  int64_t off_cpu_ns = 0;
  int64_t runnable_ns = 0;           // part of off_cpu_ns ready and waiting for a core
  int64_t switch_count = 0;          // rows
  int64_t counted_switch_count = 0;  // of the whole trace, stored or not; 0 when not rolled up
  int64_t counted_off_cpu_ns = 0;    // of the whole trace, stored or not
};

// A thread that was to launch the operation after some gap (or to make the next call).
struct Feeder {
  int64_t thread_id = 0;
  int64_t idle_ns = 0;
  int64_t gap_count = 0;
};

// Until when first calls, module loads and the first step distort the trace.
struct WarmUp {
  int64_t end_ns = 0;       // window start when nothing looks like warm-up
  std::string_view reason;  // "end of the first step", "last slow first call", "none seen"
};

class TraceFacts {
 public:
  struct Request {
    const TraceDb& db;
    Window window;
    std::stop_token stop;
    Scope scope;
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
  Result<const ThreadActivity*> ActivityOf(int64_t thread_id) const;
  // The union of ranges of a thread whose names speak of the data loader.
  Result<const ThreadRecord*> RecordOf(int64_t thread_id) const;
  Result<WarmUp> FindWarmUp() const;

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

  const TraceDb& db_;
  Window window_;
  std::stop_token stop_;
  Scope scope_;
  Actors actors_;
  Presence presence_;
  std::unique_ptr<Cache> cache_;
};

// Names that mean "waiting for or making the next batch": DataLoader, _next_data, ...
bool IsDataLoaderName(std::string_view name);

}  // namespace gpuwhy
