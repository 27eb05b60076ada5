// SPDX-License-Identifier: Apache-2.0
// The one door from events to the database: interns text, hands out ids, inserts rows, keeps exact
// roll-ups and counts every loss. One capture per Recorder; one thread at a time. Transactions are
// the caller's. The first failed insert is kept in status() and later calls do nothing, so hot
// loops need to look only once per chunk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "collectors/loss_book.h"
#include "collectors/roll_ups.h"
#include "schema/base/result.h"
#include "schema/rows.h"
#include "schema/trace_db.h"

namespace gpuwhy {

struct ProcessFacts {
  OptionalId parent_id;
  std::string name;
  std::string cmdline;
  std::string container;
  std::optional<int64_t> rank;
  std::optional<int64_t> start_ns;
  std::optional<int64_t> end_ns;
  std::optional<int64_t> pid;  // for a row that was made before its pid was known
};

struct ThreadFacts {
  std::string name;
  std::optional<int64_t> start_ns;
  std::optional<int64_t> end_ns;
};

// A series of table counter.
struct CounterSeries {
  std::string_view name;
  std::string_view unit;
  OptionalId process_id = {};  // for a series of one process
  OptionalId gpu_id = {};      // for a series of one device
};

struct GpuFacts {
  std::string uuid;
  std::string name;
  std::optional<int64_t> sm_count;
  std::optional<int64_t> memory_bytes;
  std::string compute_capability;
};

class Recorder {
 public:
  // Inserts the capture row. `db` must outlive the recorder.
  static Result<std::unique_ptr<Recorder>> Start(const TraceDb& db, const CaptureRow& capture);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  int64_t capture_id() const { return capture_id_; }
  const Status& status() const { return status_; }

  // Replaces the capture's columns, for facts that are known only at the end of a file.
  void UpdateCapture(const CaptureRow& capture);
  // Sets one of the capture's facts; the others stay.
  void SetFact(std::string_view name, const SqlValue& value);
  // Some rows are missing: what is computed from rows alone is biased.
  void MarkSelective();

  int64_t InternName(std::string_view text);
  // The current incarnation of a pid (tid, device); the first use makes the row.
  int64_t ProcessOf(int64_t pid);
  int64_t ThreadOf(int64_t process_id, int64_t tid);
  int64_t GpuOf(int64_t device_index);
  // Forgets the incarnation, so that the next ProcessOf (ThreadOf) of this number makes a new row.
  void EndProcess(int64_t pid);
  void EndThread(int64_t process_id, int64_t tid);
  // The same, and the row is never mentioned again.
  void ForgetThread(int64_t process_id, int64_t tid);
  // Set the given facts; empty and unset ones leave the column as it is.
  void SetProcess(int64_t process_id, const ProcessFacts& facts);
  void SetThread(int64_t thread_id, const ThreadFacts& facts);
  void SetGpu(int64_t gpu_id, const GpuFacts& facts);
  int64_t ProcessOfThread(int64_t thread_id) const;

  // Each returns the id of the new row.
  int64_t Add(const ApiCallRow& row);
  int64_t Add(const GpuOpRow& row);
  int64_t Add(const RangeRow& row);
  int64_t Add(const OffCpuRow& row);
  int64_t Add(const HostEventRow& row);
  int64_t Add(const QueuedWorkRow& row);
  int64_t Add(const ForeignFindingRow& row);
  void Add(const LatencyRow& row);
  void AddSample(int64_t time_ns, int64_t thread_id, int64_t callsite_id, int64_t weight_count = 1);
  void AddCounterValue(const CounterSeries& series, int64_t time_ns, double value);
  void AddCounterValue(std::string_view name, std::string_view unit, int64_t time_ns,
                       double value) {
    AddCounterValue({name, unit}, time_ns, value);
  }

  int64_t InternFrame(const FrameRow& frame);
  // `frame_ids` from the outermost caller to the innermost; 0 for an empty stack.
  int64_t InternCallsite(std::span<const int64_t> frame_ids);

  // Roll-ups are made from the rows added, unless the source brings its own.
  void DisableRollUps() { has_roll_ups_ = false; }

  // Rows added from now on no longer widen the capture's time range: for what was measured before
  // and after the recording proper.
  void FreezeTimeRange() { is_range_frozen_ = true; }

  void Count(const LossKind& kind, int64_t count = 1, std::optional<int64_t> time_ns = {},
             std::string_view example = {}) {
    losses_.Count(kind, count, time_ns, example);
  }

  // For losses that are counted elsewhere: sets the total.
  void SetLoss(const LossKind& kind, int64_t count) { losses_.Set(kind, count); }
  // For losses that are told best by their latest state.
  void DescribeLoss(const LossKind& kind, std::string_view detail) {
    losses_.Describe(kind, detail);
  }

  // All kinds counted so far.
  std::vector<std::pair<LossKind, int64_t>> Losses() const { return losses_.All(); }

  // Writes roll-ups, losses and the capture's time range. A live recording does it every second.
  Status Finish();

 private:
  struct Inserter;
  struct Statements;
  struct GpuUse {
    int64_t op_count = 0;
    int64_t first_ns = INT64_MAX;
    int64_t last_ns = INT64_MIN;
  };
  struct StringHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  explicit Recorder(const TraceDb& db);
  Status PrepareAll();
  int64_t Run(Inserter& inserter);
  void See(int64_t start_ns, int64_t duration_ns);
  void RollUp(const RollUpEvent& event);
  void NoteGpuUse(const GpuOpRow& row);
  void WriteGpuUses();
  int64_t Insert(std::string_view sql, TraceDb::Arguments arguments);

  const TraceDb& db_;
  std::unique_ptr<Statements> statements_;
  RollUps roll_ups_;
  bool has_roll_ups_ = true;
  bool is_range_frozen_ = false;
  Status status_;
  int64_t capture_id_ = 0;
  std::optional<int64_t> first_ns_;
  std::optional<int64_t> last_ns_;
  std::unordered_map<std::string, int64_t, StringHash, std::equal_to<>> names_;
  std::unordered_map<int64_t, int64_t> processes_;
  std::map<std::pair<int64_t, int64_t>, int64_t> threads_;
  std::unordered_map<int64_t, int64_t> thread_process_;
  mutable int64_t last_thread_id_ = 0;
  mutable int64_t last_process_id_ = 0;
  std::unordered_map<int64_t, int64_t> gpus_;
  std::map<std::pair<int64_t, int64_t>, GpuUse> gpu_uses_;  // by device and process
  std::map<std::string, int64_t, std::less<>> frames_;
  std::map<std::pair<int64_t, int64_t>, int64_t> callsites_;
  // By name, process and device.
  std::map<std::tuple<std::string, int64_t, int64_t>, int64_t> counters_;
  LossBook losses_;
};

}  // namespace gpuwhy
