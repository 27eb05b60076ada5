// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "collectors/ingero/context.h"
#include "schema/base/text.h"

namespace gpuwhy::ingero {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMebibyte = 1 << 20;
constexpr int64_t kMaxMebibytes = INT64_MAX / kMebibyte;

struct GpuModel {
  std::string name;
  std::optional<int64_t> memory_bytes;
};

// "NVIDIA GeForce RTX 4090, 24564 MiB"
GpuModel ParseGpuModel(std::string_view text) {
  constexpr std::string_view kUnit = " MiB";
  const size_t comma = text.rfind(", ");
  if (comma == std::string_view::npos || !text.ends_with(kUnit)) return {CleanText(text), {}};
  const std::string_view number = text.substr(comma + 2, text.size() - comma - 2 - kUnit.size());
  int64_t mebibytes = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), mebibytes);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == number.data() + number.size() &&
                         mebibytes > 0 && mebibytes <= kMaxMebibytes;
  if (!is_number) return {CleanText(text), {}};
  return {CleanText(text.substr(0, comma)), mebibytes * kMebibyte};
}

// "7015028 (commit: 7015028, built: 2026-03-20T13:56:02Z)" -> "7015028"
std::string_view FirstWord(std::string_view text) {
  return text.substr(0, text.find(' '));
}

std::string ToolVersion(const SourceFile& file, std::string_view build) {
  std::string version = "ingero";
  if (!file.SchemaVersion().empty()) version += " " + file.SchemaVersion();
  if (!build.empty()) version += fmt::format(" ({})", CleanText(FirstWord(build)));
  return version;
}

Json MissingTables(const SourceFile& file) {
  constexpr std::array<std::string_view, 5> kExpected = {
      "causal_chains", "event_aggregates", "process_names", "sessions", "stack_traces"};
  Json missing = Json::array();
  for (const std::string_view table : kExpected) {
    if (!file.Has(table)) missing.push_back(table);
  }
  return missing;
}

// Columns of the session query, in order.
constexpr std::array<std::string_view, 10> kTextFacts = {
    "gpu_driver", "cpu_model",  "kernel",     "os_release", "cuda_ver",
    "python_ver", "ingero_ver", "pid_filter", "flags",      "gpu_model"};
constexpr std::array<std::string_view, 10> kFactNames = {
    "driver", "cpu_model", "kernel",     "os",    "cuda",
    "python", "ingero",    "pid_filter", "flags", "gpu"};
constexpr int kFirstText = 6;

std::string SelectSessions(const SourceFile& file) {
  const auto column = [&](std::string_view name) {
    return file.ColumnOr("sessions", name, "NULL");
  };
  std::string texts;
  for (const std::string_view name : kTextFacts)
    texts += fmt::format(", {}", column(name));
  return fmt::format(
      "SELECT {}, {}, {}, {}, {}, {}{} FROM sessions WHERE 1{} ORDER BY started_at, id",
      column("started_at"), column("stopped_at"), column("cpu_cores"), column("mem_total"),
      column("rank"), column("world_size"), texts, file.NodeFilter("sessions"));
}

void ReadSession(const Row& row, CaptureRow& capture, Json& facts) {
  const int64_t mebibytes = row.Int(3);
  if (row.Int(2) > 0) capture.cpu_count = row.Int(2);
  if (mebibytes > 0 && mebibytes <= kMaxMebibytes) capture.memory_bytes = mebibytes * kMebibyte;
  capture.rank = row.OptionalInt(4);
  capture.world_size = row.OptionalInt(5);
  facts["session_start_ns"] = row.Int(0);
  // 0 while running, and for ever after a crash.
  facts["session_end_ns"] = row.Int(1) > 0 ? Json(row.Int(1)) : Json();
  for (size_t i = 0; i < kTextFacts.size(); ++i) {
    const std::string text = CleanText(row.Text(kFirstText + static_cast<int>(i)));
    if (!text.empty()) facts[std::string(kFactNames.at(i))] = text;
  }
}

// In a job of several ranks on one node the capture has no rank of its own.
Status ReadRank(const SourceFile& file, std::string_view node, CaptureRow& capture) {
  if (!file.Has("events", "rank") || !file.Has("events", "world_size")) return {};
  std::set<int64_t> ranks;
  GPUWHY_RETURN_IF_ERROR(file.db().Query(
      fmt::format("SELECT DISTINCT rank, world_size FROM events WHERE rank IS NOT NULL{}",
                  file.NodeFilter("events")),
      {node}, [&](const Row& row) {
        ranks.insert(row.Int(0));
        if (!row.IsNull(1)) capture.world_size = row.Int(1);
      }));
  if (ranks.size() == 1) capture.rank = *ranks.begin();
  if (ranks.size() > 1) capture.rank.reset();
  return {};
}

}  // namespace

Result<CaptureRow> DescribeCapture(const SourceFile& file, std::string_view node) {
  CaptureRow capture;
  Json facts = {{"schema", "ingero " + file.SchemaVersion()},
                {"id_type", file.HasTextIds() ? "text" : "integer"},
                {"missing_tables", MissingTables(file)},
                {"session_count", 0}};
  capture.kind = "ingero";
  capture.host = std::string(node);
  int64_t session_count = 0;
  if (file.Has("sessions", "started_at")) {
    GPUWHY_RETURN_IF_ERROR(file.db().Query(SelectSessions(file), {node}, [&](const Row& row) {
      ReadSession(row, capture, facts);
      ++session_count;
    }));
  }
  GPUWHY_RETURN_IF_ERROR(ReadRank(file, node, capture));
  const std::string flags = facts.value("flags", "");
  // Without a session nothing says that everything was stored, and by default it is not.
  capture.is_selective = flags.find("record-all") == std::string::npos;
  capture.tool_version = ToolVersion(file, facts.value("ingero", ""));
  facts["session_count"] = session_count;
  capture.facts_json = facts.dump(-1, ' ', false, Json::error_handler_t::replace);
  return capture;
}

Status ConvertGpus(const SourceFile& file, std::string_view node, Recorder& recorder) {
  if (!file.Has("sessions", "gpu_model")) return {};
  int64_t device_index = 0;
  return file.db().Query(
      fmt::format("SELECT DISTINCT gpu_model FROM sessions WHERE gpu_model != ''{}",
                  file.NodeFilter("sessions")),
      {node}, [&](const Row& row) {
        const GpuModel model = ParseGpuModel(row.Text(0));
        recorder.SetGpu(recorder.GpuOf(device_index++), {.uuid = {},
                                                         .name = model.name,
                                                         .sm_count = {},
                                                         .memory_bytes = model.memory_bytes,
                                                         .compute_capability = {}});
      });
}

}  // namespace gpuwhy::ingero
