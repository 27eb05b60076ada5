// SPDX-License-Identifier: Apache-2.0
// Chrome traces, above all those of PyTorch's profiler (Kineto), plain or gzip:
//   {"schemaVersion": 1, "deviceProperties": [...], "baseTimeNanoseconds": 1719853884000000000,
//    "traceEvents": [{"ph": "X", "cat": "kernel", ...}, ...], "traceName": "..."}
// One thread reads and parses, the caller's thread writes rows; memory is a few chunks.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "collectors/importers/importer.h"
#include "collectors/kineto/batch.h"
#include "collectors/kineto/batch_reader.h"
#include "collectors/kineto/event_stream.h"
#include "collectors/kineto/losses.h"
#include "collectors/kineto/metadata.h"
#include "collectors/kineto/row_writer.h"
#include "collectors/recorder.h"
#include "schema/base/text.h"

namespace gpuwhy::collectors::importers::kineto {
namespace {

using gpuwhy::kineto::Batch;
using gpuwhy::kineto::BatchQueue;
using gpuwhy::kineto::BatchReader;
using gpuwhy::kineto::ByteSource;
using gpuwhy::kineto::EventStream;
using gpuwhy::kineto::RowWriter;
using gpuwhy::kineto::TraceMetadata;

// Fits the second-level cache with its events; larger gained nothing.
constexpr size_t kChunkBytes = 512 << 10;
constexpr size_t kQueuedBatches = 3;

bool Sniff(const FileHead& head) {
  const std::string_view text = head.text;
  const size_t first = text.find_first_not_of("\xEF\xBB\xBF \n\r\t");
  if (first == std::string_view::npos) return false;
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (text[first] == '[') return has("\"ph\"");
  // Device and process group tables of a large job can push the events out of the first 64 KiB.
  return text[first] == '{' &&
         (has("\"traceEvents\"") || (has("\"schemaVersion\"") && has("\"deviceProperties\"")));
}

// Runs the reader on its own thread for as long as the object lives.
class ReaderThread {
 public:
  explicit ReaderThread(EventStream& stream)
      : queue_(kQueuedBatches), thread_([this, &stream] { Run(stream); }) {}
  ~ReaderThread() {
    queue_.Close();
    thread_.join();
  }
  ReaderThread(const ReaderThread&) = delete;
  ReaderThread& operator=(const ReaderThread&) = delete;

  std::optional<Batch> Next() { return queue_.Pop(); }
  void GiveBack(Batch batch) { queue_.GiveBack(std::move(batch)); }

 private:
  void Run(EventStream& stream) {
    BatchReader reader(stream);
    while (true) {
      Batch batch = queue_.TakeUsed();
      if (!reader.Read(batch) || !queue_.Push(std::move(batch))) break;
    }
    queue_.Close();
  }

  BatchQueue queue_;
  std::thread thread_;
};

// One pass over the file. The base time is needed before the first event; it is usually ahead of
// them, and when it turns out to be behind them the pass is repeated with it.
class Pass {
 public:
  Pass(const ImportRequest& request, EventStream& stream) : request_(request), stream_(stream) {}

  Result<int64_t> Run(std::optional<int64_t> known_base_time_ns) {
    const TraceMetadata head = gpuwhy::kineto::ParseMetadata(stream_.HeadMetadata());
    base_time_ns_ = known_base_time_ns.value_or(head.base_time_ns);
    GPUWHY_ASSIGN_OR_RETURN(recorder_, Recorder::Start(request_.db, {.kind = "kineto"}));
    RowWriter writer(*recorder_, base_time_ns_);
    GPUWHY_RETURN_IF_ERROR(WriteAll(writer));
    metadata_ = gpuwhy::kineto::ParseMetadata(stream_.Metadata());
    if (!metadata_.is_readable) metadata_ = head;
    GPUWHY_RETURN_IF_ERROR(CheckUseful(writer));
    CountStreamLosses();
    WriteCapture(writer);
    GPUWHY_RETURN_IF_ERROR(recorder_->Finish());
    return recorder_->capture_id();
  }

  bool HasOtherBaseTime() const { return metadata_.base_time_ns != base_time_ns_; }
  int64_t BaseTimeOfFile() const { return metadata_.base_time_ns; }

 private:
  Status WriteAll(RowWriter& writer) {
    ReaderThread reader(stream_);
    while (auto batch = reader.Next()) {
      for (const auto& event : batch->events)
        writer.Add(event);
      for (const auto& loss : batch->losses)
        Count(*loss.kind, loss.example);
      writer.CountFlows(batch->flow_count);
      GPUWHY_RETURN_IF_ERROR(recorder_->status());
      if (request_.stop.stop_requested()) {
        return Error{ErrorCode::kCancelled, "the import was stopped before it finished"};
      }
      if (request_.progress) request_.progress(batch->done_bytes, request_.head.size_bytes);
      reader.GiveBack(*std::move(batch));
    }
    return {};
  }

  void Count(const LossKind& kind, std::string_view example) {
    using gpuwhy::kineto::kEventTruncated, gpuwhy::kineto::kEventUnreadable;
    if (&kind == &kEventUnreadable || &kind == &kEventTruncated) ++unreadable_count_;
    recorder_->Count(kind, 1, {}, example);
  }

  Status CheckUseful(const RowWriter& writer) const {
    if (writer.EventCount() > 0 || unreadable_count_ == 0) return {};
    return CorruptInput(
        fmt::format("{} has an event list without a readable event ({} pieces that are none)",
                    CleanText(request_.head.path), unreadable_count_));
  }

  void CountStreamLosses() {
    if (stream_.IsSourceDamaged()) recorder_->Count(gpuwhy::kineto::kFileDamaged);
    if (!stream_.IsArrayClosed()) recorder_->Count(gpuwhy::kineto::kArrayNotClosed);
    const TraceMetadata whole = gpuwhy::kineto::ParseMetadata(stream_.Metadata());
    if (!whole.is_readable || stream_.IsMetadataCut()) {
      recorder_->Count(gpuwhy::kineto::kMetadataUnreadable);
    }
  }

  void WriteCapture(RowWriter& writer) {
    const auto rank =
        metadata_.rank ? metadata_.rank : gpuwhy::kineto::RankOfFileName(request_.head.path);
    writer.Finish(metadata_, rank);
    auto facts = nlohmann::json::parse(metadata_.facts_json);
    facts["has_step_annotations"] = writer.HasStepAnnotations();
    facts["event_counts"] = nlohmann::json::parse(writer.PhaseCountsJson());
    recorder_->UpdateCapture({.kind = "kineto",
                              .path = request_.head.path,
                              .rank = rank,
                              .world_size = metadata_.world_size,
                              .clock_offset_ns = base_time_ns_,
                              .tool_version = "PyTorch profiler (Kineto)",
                              .facts_json = facts.dump()});
  }

  const ImportRequest& request_;
  EventStream& stream_;
  std::unique_ptr<Recorder> recorder_;
  TraceMetadata metadata_;
  int64_t base_time_ns_ = 0;
  int64_t unreadable_count_ = 0;
};

Result<int64_t> RunPass(const ImportRequest& request, std::optional<int64_t>& base_time_ns) {
  GPUWHY_ASSIGN_OR_RETURN(auto source, ByteSource::Open(request.head.path, request.head.is_gzip));
  EventStream stream(std::move(source), kChunkBytes);
  if (const Status opened = stream.Open(); !opened.ok()) {
    return CorruptInput(fmt::format("{} cannot be read as a Chrome trace: {}",
                                    CleanText(request.head.path), opened.error().message));
  }
  Pass pass(request, stream);
  GPUWHY_ASSIGN_OR_RETURN(const int64_t capture_id, pass.Run(base_time_ns));
  base_time_ns = pass.HasOtherBaseTime() ? std::optional(pass.BaseTimeOfFile()) : std::nullopt;
  return capture_id;
}

Result<int64_t> Import(const ImportRequest& request) {
  GPUWHY_RETURN_IF_ERROR(request.db.Execute("SAVEPOINT kineto"));
  std::optional<int64_t> base_time_ns;
  GPUWHY_ASSIGN_OR_RETURN(int64_t capture_id, RunPass(request, base_time_ns));
  if (base_time_ns) {
    GPUWHY_RETURN_IF_ERROR(request.db.Execute("ROLLBACK TO kineto"));
    GPUWHY_ASSIGN_OR_RETURN(capture_id, RunPass(request, base_time_ns));
  }
  GPUWHY_RETURN_IF_ERROR(request.db.Execute("RELEASE kineto"));
  return capture_id;
}

}  // namespace

Importer Define() {
  return {.name = "kineto",
          .description = "PyTorch profiler (Kineto) and other Chrome traces, .json or .json.gz",
          .priority = 50,
          .sniff = &Sniff,
          .import = &Import};
}

}  // namespace gpuwhy::collectors::importers::kineto
