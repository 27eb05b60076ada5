// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "collectors/nsys/losses.h"
#include "schema/base/text.h"

namespace gpuwhy::nsys {
namespace {

using Json = nlohmann::json;

// Tables that are converted, or that only describe.
constexpr std::array<std::string_view, 22> kHandledTables = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                                             "CUPTI_ACTIVITY_KIND_MEMCPY",
                                                             "CUPTI_ACTIVITY_KIND_MEMSET",
                                                             "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                                             "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                                             "CUPTI_ACTIVITY_KIND_RUNTIME",
                                                             "CUPTI_ACTIVITY_KIND_OVERHEAD",
                                                             "CUDA_CALLCHAINS",
                                                             "CUDA_GPU_MEMORY_USAGE_EVENTS",
                                                             "NVTX_EVENTS",
                                                             "OSRT_API",
                                                             "PROFILER_OVERHEAD",
                                                             "SCHED_EVENTS",
                                                             "COMPOSITE_EVENTS",
                                                             "SAMPLING_CALLCHAINS",
                                                             "GPU_METRICS",
                                                             "StringIds",
                                                             "PROCESSES",
                                                             "ThreadNames",
                                                             "ProcessStreams",
                                                             "UnwindMethodType"};
constexpr std::array<std::string_view, 7> kDescribingPrefixes = {
    "ENUM_",     "META_DATA_",    "EXPORT_META_DATA", "TARGET_INFO_",
    "ANALYSIS_", "NVTX_PAYLOAD_", "sqlite_"};

// Of TARGET_INFO_SYSTEM_ENV.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEnvironmentFacts = {
    {{"NvDriverVersion", "driver"},
     {"CudaDriverVersion", "cuda_driver"},
     {"OsDescription", "os"},
     {"KernelVersion", "kernel"},
     {"CpuDescription", "cpu_model"}}};

void ReadEnvironment(const ExportFile& file, CaptureRow& capture, Json& facts) {
  if (!file.tables().Has("TARGET_INFO_SYSTEM_ENV", "value")) return;
  (void)file.db().Query("SELECT name, value FROM TARGET_INFO_SYSTEM_ENV", {}, [&](const Row& row) {
    const std::string value = CleanText(row.Text(1));
    if (row.Text(0) == "Hostname") capture.host = value;
    int64_t count = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), count);
    if (row.Text(0) == "CpuCores" && parsed.ec == std::errc() && count > 0)
      capture.cpu_count = count;
    for (const auto& [name, fact] : kEnvironmentFacts) {
      if (row.Text(0) == name && !value.empty()) facts[std::string(fact)] = value;
    }
  });
}

struct DeviceTable {
  std::string_view table;
  std::vector<std::string_view> columns;  // number, name, uuid, multiprocessors, memory, cc x 2
};

Status DescribeDevices(Conversion& conversion, const DeviceTable& source) {
  return conversion.EachRow(source.table, source.columns, [&](const Row& row) {
    const auto gpu = conversion.actors().gpus().find(row.Int(0));
    if (gpu == conversion.actors().gpus().end()) return;
    GpuFacts facts;
    facts.name = CleanText(row.Text(1));
    facts.uuid = CleanText(row.Text(2));
    facts.sm_count = row.OptionalInt(3);
    facts.memory_bytes = row.OptionalInt(4);
    if (!row.IsNull(5)) facts.compute_capability = fmt::format("{}.{}", row.Int(5), row.Int(6));
    conversion.recorder().SetGpu(gpu->second, facts);
  });
}

bool IsHandled(std::string_view table) {
  if (std::find(kHandledTables.begin(), kHandledTables.end(), table) != kHandledTables.end())
    return true;
  return std::any_of(kDescribingPrefixes.begin(), kDescribingPrefixes.end(),
                     [&](std::string_view prefix) { return table.starts_with(prefix); });
}

// DIAGNOSTIC_EVENT, levels of ENUM_DIAGNOSTIC_SEVERITY_LEVEL.
Status CountComplaints(Conversion& conversion) {
  constexpr int64_t kWarning = 2;
  constexpr int64_t kError = 3;
  return conversion.EachRow("DIAGNOSTIC_EVENT", {"severity", "text"}, [&](const Row& row) {
    const std::string text = CleanText(row.Text(1), kPathLimit);
    if (row.Int(0) == kWarning) conversion.recorder().Count(kRecorderWarning, 1, {}, text);
    if (row.Int(0) == kError) conversion.recorder().Count(kRecorderError, 1, {}, text);
  });
}

}  // namespace

Result<CaptureRow> DescribeCapture(const ExportFile& file) {
  CaptureRow capture;
  Json facts = Json::object();
  const std::string schema = file.ExportFact("EXPORT_SCHEMA_VERSION");
  const std::string product = file.ExportFact("EXPORT_PRODUCT_VERSION").empty()
                                  ? file.ExportFact("PRODUCT_VERSION")
                                  : file.ExportFact("EXPORT_PRODUCT_VERSION");
  capture.kind = "nsys";
  capture.clock_offset_ns = file.SessionStartNs();
  capture.tool_version = "Nsight Systems";
  if (!product.empty()) capture.tool_version += " " + product;
  facts["schema"] = schema.empty() ? Json() : Json(schema);
  ReadEnvironment(file, capture, facts);
  capture.facts_json = facts.dump(-1, ' ', false, Json::error_handler_t::replace);
  return capture;
}

Status DescribeActors(Conversion& conversion) {
  GPUWHY_RETURN_IF_ERROR(
      conversion.EachRow("PROCESSES", {"globalPid", "name"}, [&](const Row& row) {
        conversion.actors().NameProcess(row.Int(0), CleanText(row.Text(1)));
      }));
  GPUWHY_RETURN_IF_ERROR(
      conversion.EachRow("ThreadNames", {"globalTid", "nameId"}, [&](const Row& row) {
        const auto name = conversion.file().Text(row.Int(1));
        if (name) conversion.actors().NameThread(row.Int(0), CleanText(*name));
      }));
  GPUWHY_RETURN_IF_ERROR(DescribeDevices(
      conversion, {.table = "TARGET_INFO_CUDA_GPU",  // to 2021
                   .columns = {"deviceId", "name", "uuid", "numMultiprocessors", "globalMemorySize",
                               "computeCapabilityMajor", "computeCapabilityMinor"}}));
  const bool has_cuda_number = conversion.file().tables().Has("TARGET_INFO_GPU", "cuDevice");
  const bool has_number = conversion.file().tables().Has("TARGET_INFO_GPU", "id");
  return DescribeDevices(conversion, {.table = "TARGET_INFO_GPU",
                                      .columns = {has_cuda_number ? "cuDevice"
                                                  : has_number    ? "id"
                                                                  : "deviceId",
                                                  "name", "uuid", "smCount", "totalMemory",
                                                  "computeMajor", "computeMinor"}});
}

Status CountOmissions(Conversion& conversion) {
  Recorder& recorder = conversion.recorder();
  std::string left_out;
  for (const std::string& table : conversion.file().tables().Names()) {
    const int64_t count = IsHandled(table) ? 0 : conversion.file().SizeOf(table);
    if (count == 0) continue;
    recorder.Count(kTableNotStored, count);
    left_out += fmt::format("{}{} {}", left_out.empty() ? "" : ", ", table, count);
  }
  if (!left_out.empty()) recorder.DescribeLoss(kTableNotStored, CleanText(left_out, kPathLimit));
  if (!conversion.file().SessionStartNs()) recorder.Count(kEpochMissing);
  return CountComplaints(conversion);
}

}  // namespace gpuwhy::nsys
