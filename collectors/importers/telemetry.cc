// SPDX-License-Identifier: Apache-2.0
// GPU telemetry as tables of text, plain or gzip: nvidia-smi --query-gpu --format=csv, nvidia-smi
// dmon, dcgmi dmon, amd-smi --csv and the CSV of scripts around NVML:
//   timestamp, index, utilization.gpu [%], power.draw [W]
//   2024/03/15 13:57:59.791, 0, 35 %, 70.89 W
// Every numeric column becomes a series of its device. Memory is a few lines.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "collectors/importers/importer.h"
#include "collectors/recorder.h"
#include "collectors/telemetry/file_shape.h"
#include "collectors/telemetry/losses.h"
#include "collectors/telemetry/table_reader.h"
#include "collectors/text/line_reader.h"
#include "schema/base/text.h"

namespace gpuwhy::collectors::importers::telemetry {
namespace {

using gpuwhy::telemetry::FileShape;
using gpuwhy::telemetry::TableReader;

constexpr int kLinesBetweenChecks = 256;
constexpr std::string_view kHowToRecord =
    "record with nvidia-smi --query-gpu=timestamp,index,utilization.gpu,power.draw,clocks.sm "
    "--format=csv -l 1";

bool Sniff(const FileHead& head) {
  return gpuwhy::telemetry::ShapeOf(head.text) != FileShape::kUnknown;
}

Status CheckGoingOn(const ImportRequest& request, const LineReader& lines) {
  if (request.stop.stop_requested()) {
    return Error{ErrorCode::kCancelled, "the import was stopped before it finished"};
  }
  if (request.progress) request.progress(lines.DoneBytes(), request.head.size_bytes);
  return {};
}

Status ReadAllLines(const ImportRequest& request, LineReader& lines, const Recorder& recorder,
                    TableReader& table) {
  bool is_first = true;
  for (int count = 1; auto line = lines.Next(); ++count) {
    if (std::exchange(is_first, false)) *line = gpuwhy::telemetry::WithoutByteOrderMark(*line);
    table.Read(*line);
    if (count % kLinesBetweenChecks != 0) continue;
    count = 0;
    GPUWHY_RETURN_IF_ERROR(recorder.status());
    GPUWHY_RETURN_IF_ERROR(CheckGoingOn(request, lines));
  }
  return CheckGoingOn(request, lines);
}

// What happened to the rows of a table of which none was stored; empty when there were none.
std::string MostFrequentLoss(const Recorder& recorder) {
  std::string text;
  int64_t most = 0;
  for (const auto& [kind, count] : recorder.Losses()) {
    if (kind.severity != LossSeverity::kDataLoss || count <= most) continue;
    most = count;
    text = fmt::format(" ({} {}: {})", count, kind.name, kind.description);
  }
  return text;
}

// Why a file without any value is refused, as the end of a sentence about it.
std::string_view WhyNoValue(const TableReader& table, FileShape shape) {
  if (table.HasTable()) return "has the header of a telemetry table and no row with a value";
  if (table.HasProcessTable()) {
    return "is a table of processes (nvidia-smi pmon or --query-compute-apps), not of devices";
  }
  if (shape == FileShape::kCapture) {
    return "holds the output of several commands, and none is nvidia-smi --query-gpu "
           "--format=csv";
  }
  return "has no telemetry table that could be read";
}

Error Refusal(const ImportRequest& request, std::string_view why) {
  return CorruptInput(
      fmt::format("{} {}: {}", CleanText(request.head.path, kPathLimit), why, kHowToRecord));
}

// A point with the time of another one of its series has replaced it.
Status CountSameTimes(const TraceDb& db, Recorder& recorder, int64_t value_count) {
  GPUWHY_ASSIGN_OR_RETURN(
      const int64_t stored_count,
      db.QueryInt("SELECT count(*) FROM counter JOIN counter_value ON counter_id = counter.id "
                  "WHERE capture_id = ?",
                  {recorder.capture_id()}));
  recorder.SetLoss(gpuwhy::telemetry::kSameTime, value_count - stored_count);
  return {};
}

void WriteTelemetryCapture(const ImportRequest& request, const TableReader& table,
                           Recorder& recorder) {
  nlohmann::json facts = nlohmann::json::object();
  if (!table.writer().driver().empty()) facts["driver"] = table.writer().driver();
  recorder.UpdateCapture({.kind = "telemetry",
                          .path = request.head.path,
                          .host = table.writer().host(),
                          .tool_version = std::string(ToolName(table.tool())),
                          .facts_json = facts.dump()});
}

Result<int64_t> Import(const ImportRequest& request) {
  const FileShape shape = gpuwhy::telemetry::ShapeOf(request.head.text);
  if (const auto why = gpuwhy::telemetry::WhyNoSeries(shape); !why.empty()) {
    return Refusal(request, fmt::format("{}, not series over time", why));
  }
  GPUWHY_ASSIGN_OR_RETURN(
      auto source, gpuwhy::kineto::ByteSource::Open(request.head.path, request.head.is_gzip));
  LineReader lines(std::move(source));
  GPUWHY_ASSIGN_OR_RETURN(const auto recorder, Recorder::Start(request.db, {.kind = "telemetry"}));
  TableReader table(*recorder, shape == FileShape::kCapture);
  GPUWHY_RETURN_IF_ERROR(ReadAllLines(request, lines, *recorder, table));
  if (table.writer().ValueCount() == 0) {
    return Refusal(request,
                   fmt::format("{}{}", WhyNoValue(table, shape), MostFrequentLoss(*recorder)));
  }
  if (lines.IsDamaged()) recorder->Count(gpuwhy::telemetry::kTableDamaged);
  recorder->SetLoss(gpuwhy::telemetry::kLineTooLong, lines.TooLongCount());
  GPUWHY_RETURN_IF_ERROR(CountSameTimes(request.db, *recorder, table.writer().ValueCount()));
  WriteTelemetryCapture(request, table, *recorder);
  GPUWHY_RETURN_IF_ERROR(recorder->Finish());
  return recorder->capture_id();
}

}  // namespace

Importer Define() {
  return {.name = "telemetry",
          .description =
              "GPU telemetry tables: nvidia-smi --query-gpu --format=csv, nvidia-smi "
              "dmon, dcgmi dmon, amd-smi --csv, CSV of NVML scripts, plain or gzip",
          .priority = 10,
          .sniff = &Sniff,
          .import = &Import};
}

}  // namespace gpuwhy::collectors::importers::telemetry
