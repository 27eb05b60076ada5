// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collectors/row_binder.h"
#include "schema/base/saturating.h"

namespace gpuwhy {
namespace {

constexpr LossKind kCounterNotFinite{"counter_not_finite", LossSeverity::kDataLoss,
                                     "measured values that are not a number or infinite; skipped",
                                     "check the sensor or its driver"};

constexpr std::string_view kInsertApiCall =
    "INSERT INTO api_call (start_ns, duration_ns, thread_id, name_id, parent_id, correlation_id, "
    "bytes, copy_kind, host_memory, stream, event, return_code, callsite_id) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr std::string_view kInsertGpuOp =
    "INSERT INTO gpu_op (start_ns, duration_ns, gpu_id, process_id, context_id, stream, kind, "
    "name_id, correlation_id, bytes, copy_kind, host_memory, grid_x, grid_y, grid_z, block_x, "
    "block_y, block_z, register_count, shared_memory_bytes, graph_node_id) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr std::string_view kInsertRange =
    "INSERT INTO range (start_ns, duration_ns, thread_id, name_id, category, sequence_id, shapes) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)";
constexpr std::string_view kInsertOffCpu =
    "INSERT INTO off_cpu (start_ns, duration_ns, thread_id, runnable_ns, reason, waker_thread_id, "
    "preemptor_thread_id, callsite_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
constexpr std::string_view kInsertHostEvent =
    "INSERT INTO host_event (start_ns, duration_ns, thread_id, other_thread_id, kind, bytes, "
    "detail_name_id) VALUES (?, ?, ?, ?, ?, ?, ?)";
constexpr std::string_view kInsertLatency =
    "INSERT INTO latency (bucket_ns, width_ns, process_id, thread_id, source, name_id, "
    "event_count, "
    "stored_count, sum_ns, min_ns, max_ns, sum_bytes, histogram) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr std::string_view kInsertCounterValue =
    "INSERT OR REPLACE INTO counter_value (counter_id, time_ns, value) VALUES (?, ?, ?)";
constexpr std::string_view kInsertName = "INSERT INTO name (text) VALUES (?)";

}  // namespace

// One prepared insert and which of its parameters are not NULL.
struct Recorder::Inserter {
  std::optional<Statement> statement;
  uint64_t bound = 0;

  Binder Bind() { return {statement->get(), bound}; }
};

struct Recorder::Statements {
  Inserter api_call, gpu_op, range, off_cpu, host_event, latency, name, counter_value;
};

Recorder::Recorder(const TraceDb& db)
    : db_(db),
      statements_(std::make_unique<Statements>()),
      roll_ups_([this](const LatencyRow& row) { Add(row); }) {}

Recorder::~Recorder() = default;

Status Recorder::PrepareAll() {
  const auto prepare = [&](std::string_view sql, Inserter& out) -> Status {
    GPUWHY_ASSIGN_OR_RETURN(Statement statement, db_.Prepare(sql));
    out.statement.emplace(std::move(statement));
    return {};
  };
  GPUWHY_RETURN_IF_ERROR(prepare(kInsertApiCall, statements_->api_call));
  GPUWHY_RETURN_IF_ERROR(prepare(kInsertGpuOp, statements_->gpu_op));
  GPUWHY_RETURN_IF_ERROR(prepare(kInsertRange, statements_->range));
  GPUWHY_RETURN_IF_ERROR(prepare(kInsertOffCpu, statements_->off_cpu));
  GPUWHY_RETURN_IF_ERROR(prepare(kInsertHostEvent, statements_->host_event));
  GPUWHY_RETURN_IF_ERROR(prepare(kInsertLatency, statements_->latency));
  GPUWHY_RETURN_IF_ERROR(prepare(kInsertCounterValue, statements_->counter_value));
  return prepare(kInsertName, statements_->name);
}

Result<std::unique_ptr<Recorder>> Recorder::Start(const TraceDb& db, const CaptureRow& capture) {
  std::unique_ptr<Recorder> recorder(new Recorder(db));
  GPUWHY_RETURN_IF_ERROR(recorder->PrepareAll());
  // Names already in the database are reused, so that a file with several captures interns once.
  GPUWHY_RETURN_IF_ERROR(db.Query("SELECT id, text FROM name", {}, [&](const Row& row) {
    recorder->names_.emplace(row.Text(1), row.Int(0));
  }));
  recorder->capture_id_ =
      recorder->Insert("INSERT INTO capture (kind) VALUES (?)", {std::string_view(capture.kind)});
  recorder->UpdateCapture(capture);
  GPUWHY_RETURN_IF_ERROR(recorder->status_);
  return recorder;
}

int64_t Recorder::Insert(std::string_view sql, TraceDb::Arguments arguments) {
  if (!status_.ok()) return 0;
  status_ = db_.Query(sql, arguments, [](const Row&) {});
  return sqlite3_last_insert_rowid(db_.handle());
}

int64_t Recorder::Run(Inserter& inserter) {
  if (!status_.ok()) return 0;
  sqlite3_stmt* statement = inserter.statement->get();
  // The usual case without a detour through Status; a failed step reports again when repeated.
  const int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  if (code != SQLITE_DONE) status_ = db_.LastError("writing the trace database");
  return sqlite3_last_insert_rowid(db_.handle());
}

void Recorder::UpdateCapture(const CaptureRow& row) {
  Insert(
      "UPDATE capture SET path = ?2, host = ?3, rank = ?4, world_size = ?5, clock_offset_ns = ?6, "
      "clock_error_ns = ?7, cpu_count = ?8, memory_bytes = ?9, is_selective = ?10, "
      "tool_version = ?11, facts = ?12, sha256 = ?13 WHERE id = ?1",
      {capture_id_, Value(row.path), Value(row.host), Value(row.rank), Value(row.world_size),
       Value(row.clock_offset_ns), Value(row.clock_error_ns), Value(row.cpu_count),
       Value(row.memory_bytes), int64_t{row.is_selective}, Value(row.tool_version),
       std::string_view(row.facts_json), Value(row.sha256)});
}

void Recorder::SetFact(std::string_view name, const SqlValue& value) {
  const std::string path = fmt::format("$.{}", name);
  Insert("UPDATE capture SET facts = json_set(facts, ?2, ?3) WHERE id = ?1",
         {capture_id_, std::string_view(path), value});
}

void Recorder::MarkSelective() {
  Insert("UPDATE capture SET is_selective = 1 WHERE id = ?1", {capture_id_});
}

int64_t Recorder::InternName(std::string_view text) {
  if (const auto it = names_.find(text); it != names_.end()) return it->second;
  statements_->name.Bind() << text;
  if (text.empty()) statements_->name.statement->Bind(1, text);
  const int64_t id = Run(statements_->name);
  names_.emplace(text, id);
  return id;
}

int64_t Recorder::ProcessOfThread(int64_t thread_id) const {
  // Neighbouring rows are mostly of one thread.
  if (thread_id == last_thread_id_) return last_process_id_;
  const auto it = thread_process_.find(thread_id);
  if (it == thread_process_.end()) return 0;
  last_thread_id_ = thread_id;
  last_process_id_ = it->second;
  return last_process_id_;
}

void Recorder::See(int64_t start_ns, int64_t duration_ns) {
  if (is_range_frozen_) return;
  first_ns_ = first_ns_ ? std::min(*first_ns_, start_ns) : start_ns;
  const int64_t end_ns = SaturatingAdd(start_ns, duration_ns);
  last_ns_ = last_ns_ ? std::max(*last_ns_, end_ns) : end_ns;
}

void Recorder::RollUp(const RollUpEvent& event) {
  See(event.start_ns, event.duration_ns);
  if (has_roll_ups_) roll_ups_.Add(event);
}

int64_t Recorder::Add(const ApiCallRow& row) {
  statements_->api_call.Bind() << row.start_ns << row.duration_ns << row.thread_id << row.name_id
                               << row.parent_id << row.correlation_id << row.bytes << row.copy_kind
                               << row.host_memory << row.stream << row.event << row.return_code
                               << row.callsite_id;
  RollUp({.source = EventSource::kApiCall,
          .process_id = ProcessOfThread(row.thread_id),
          .name_id = row.name_id,
          .start_ns = row.start_ns,
          .duration_ns = row.duration_ns,
          .bytes = row.bytes.value_or(0)});
  return Run(statements_->api_call);
}

int64_t Recorder::Add(const QueuedWorkRow& row) {
  See(row.start_ns, row.duration_ns);
  return Insert(
      "INSERT INTO queued_work (start_ns, duration_ns, process_id, first_call_id, last_call_id) "
      "VALUES (?, ?, ?, ?, ?)",
      {row.start_ns, row.duration_ns, row.process_id, Value(row.first_call_id),
       Value(row.last_call_id)});
}

int64_t Recorder::Add(const GpuOpRow& row) {
  statements_->gpu_op.Bind() << row.start_ns << row.duration_ns << row.gpu_id << row.process_id
                             << row.context_id << row.stream << row.kind << row.name_id
                             << row.correlation_id << row.bytes << row.copy_kind << row.host_memory
                             << row.grid_x << row.grid_y << row.grid_z << row.block_x << row.block_y
                             << row.block_z << row.register_count << row.shared_memory_bytes
                             << row.graph_node_id;
  NoteGpuUse(row);
  RollUp({.source = EventSource::kGpuOp,
          .process_id = row.process_id.value_or(0),
          .name_id = row.name_id,
          .start_ns = row.start_ns,
          .duration_ns = row.duration_ns,
          .bytes = row.bytes.value_or(0)});
  return Run(statements_->gpu_op);
}

void Recorder::NoteGpuUse(const GpuOpRow& row) {
  if (!row.process_id || row.kind == "sync") return;
  GpuUse& use = gpu_uses_[{row.gpu_id, *row.process_id}];
  ++use.op_count;
  use.first_ns = std::min(use.first_ns, row.start_ns);
  use.last_ns = std::max(use.last_ns, SaturatingAdd(row.start_ns, row.duration_ns));
}

int64_t Recorder::Add(const RangeRow& row) {
  statements_->range.Bind() << row.start_ns << row.duration_ns << row.thread_id << row.name_id
                            << row.category << row.sequence_id << row.shapes;
  RollUp({.source = EventSource::kRange,
          .process_id = ProcessOfThread(row.thread_id),
          .name_id = row.name_id,
          .start_ns = row.start_ns,
          .duration_ns = row.duration_ns});
  return Run(statements_->range);
}

int64_t Recorder::Add(const OffCpuRow& row) {
  statements_->off_cpu.Bind() << row.start_ns << row.duration_ns << row.thread_id << row.runnable_ns
                              << row.reason << row.waker_thread_id << row.preemptor_thread_id
                              << row.callsite_id;
  RollUp({.source = EventSource::kOffCpu,
          .process_id = ProcessOfThread(row.thread_id),
          .thread_id = row.thread_id,
          .name_id = InternName(row.reason),
          .start_ns = row.start_ns,
          .duration_ns = row.duration_ns});
  return Run(statements_->off_cpu);
}

int64_t Recorder::Add(const HostEventRow& row) {
  statements_->host_event.Bind() << row.start_ns << row.duration_ns << row.thread_id
                                 << row.other_thread_id << row.kind << row.bytes
                                 << row.detail_name_id;
  RollUp({.source = EventSource::kHostEvent,
          .process_id = row.thread_id ? ProcessOfThread(*row.thread_id) : 0,
          .name_id = InternName(row.kind),
          .start_ns = row.start_ns,
          .duration_ns = row.duration_ns,
          .bytes = row.bytes.value_or(0)});
  return Run(statements_->host_event);
}

int64_t Recorder::Add(const ForeignFindingRow& row) {
  return Insert(
      "INSERT INTO foreign_finding (capture_id, tool, external_id, time_ns, severity, title, "
      "cause, "
      "explanation, recommendations, operation, p50_ns, p99_ns, tail_ratio) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {capture_id_, std::string_view(row.tool), std::string_view(row.external_id),
       Value(row.time_ns), std::string_view(row.severity), std::string_view(row.title),
       Value(row.cause), Value(row.explanation), Value(row.recommendations_json),
       Value(row.operation), Value(row.p50_ns), Value(row.p99_ns),
       row.tail_ratio ? SqlValue(*row.tail_ratio) : SqlValue(std::monostate())});
}

void Recorder::Add(const LatencyRow& row) {
  Binder binder = statements_->latency.Bind();
  binder << row.bucket_ns << row.width_ns << row.process_id << row.thread_id << row.source
         << row.name_id << row.event_count << row.stored_count << row.sum_ns << row.min_ns
         << row.max_ns << row.sum_bytes;
  binder.Blob(row.histogram);
  Run(statements_->latency);
}

void Recorder::AddSample(int64_t time_ns, int64_t thread_id, int64_t callsite_id,
                         int64_t weight_count) {
  See(time_ns, 0);
  Insert("INSERT INTO sample (time_ns, thread_id, callsite_id, weight_count) VALUES (?, ?, ?, ?)",
         {time_ns, thread_id, callsite_id, weight_count});
}

void Recorder::AddCounterValue(const CounterSeries& series, int64_t time_ns, double value) {
  if (!std::isfinite(value)) return losses_.Count(kCounterNotFinite, 1, time_ns, series.name);
  int64_t& id = counters_[{std::string(series.name), series.process_id.value_or(0),
                           series.gpu_id.value_or(0)}];
  if (id == 0) {
    id = Insert(
        "INSERT INTO counter (capture_id, name, unit, process_id, gpu_id) VALUES (?, ?, ?, ?, ?)",
        {capture_id_, series.name, series.unit, Value(series.process_id), Value(series.gpu_id)});
  }
  See(time_ns, 0);
  Binder binder = statements_->counter_value.Bind();
  binder << id << time_ns;
  binder.Real(value);
  Run(statements_->counter_value);
}

void Recorder::WriteGpuUses() {
  for (const auto& [key, use] : gpu_uses_) {
    Insert(
        "INSERT INTO gpu_process (gpu_id, process_id, op_count, first_ns, last_ns) "
        "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET op_count = op_count + ?3, "
        "first_ns = min(first_ns, ?4), last_ns = max(last_ns, ?5)",
        {key.first, key.second, use.op_count, use.first_ns, use.last_ns});
  }
  gpu_uses_.clear();
}

Status Recorder::Finish() {
  roll_ups_.Flush();
  WriteGpuUses();
  if (status_.ok()) status_ = losses_.Write(db_, capture_id_);
  Insert(
      "UPDATE capture SET start_ns = min(coalesce(start_ns, ?2), ?2), "
      "end_ns = max(coalesce(end_ns, ?3), ?3) WHERE id = ?1",
      {capture_id_, Value(first_ns_), Value(last_ns_)});
  return status_;
}

}  // namespace gpuwhy
