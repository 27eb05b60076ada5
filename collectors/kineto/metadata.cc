// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "collectors/kineto/decimal.h"
#include "collectors/kineto/repair.h"
#include "schema/base/text.h"

namespace gpuwhy::kineto {
namespace {

using Json = nlohmann::json;

// Key in the file, key in capture.facts.
constexpr std::array kFacts = std::to_array<std::pair<const char*, const char*>>({
    {"schemaVersion", "schema_version"},
    {"displayTimeUnit", "display_time_unit"},
    {"baseTimeNanoseconds", "base_time_ns"},
    {"cuda_runtime_version", "cuda_runtime_version"},
    {"cuda_driver_version", "cuda_driver_version"},
    {"cupti_version", "cupti_version"},
    {"hip_runtime_version", "hip_runtime_version"},
    {"hip_driver_version", "hip_driver_version"},
    {"roctracer_version", "roctracer_version"},
    {"record_shapes", "record_shapes"},
    {"with_stack", "with_stack"},
    {"profile_memory", "profile_memory"},
    {"with_flops", "with_flops"},
    {"with_modules", "with_modules"},
    {"trace_id", "trace_id"},
    {"traceName", "trace_name"},
});

std::optional<int64_t> Integer(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return std::nullopt;
  if (it->is_number_integer()) return it->get<int64_t>();
  return it->is_string() ? ParseInteger(it->get_ref<const std::string&>()) : std::nullopt;
}

std::string Text(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

void ReadDevices(const Json& list, TraceMetadata& metadata) {
  for (const Json& entry : list) {
    if (!entry.is_object()) continue;
    TraceMetadata::Device device;
    device.index = Integer(entry, "id").value_or(static_cast<int64_t>(metadata.devices.size()));
    device.facts.name = Text(entry, "name");
    device.facts.sm_count = Integer(entry, "numSms");
    device.facts.memory_bytes = Integer(entry, "totalGlobalMem");
    const auto major = Integer(entry, "computeMajor");
    if (major) {
      device.facts.compute_capability =
          fmt::format("{}.{}", *major, Integer(entry, "computeMinor").value_or(0));
    }
    metadata.devices.push_back(std::move(device));
  }
}

Json Facts(const Json& root, const TraceMetadata& metadata) {
  Json facts = Json::object();
  for (const auto& [from, to] : kFacts) {
    const auto it = root.find(from);
    if (it != root.end() && it->is_primitive()) facts[to] = *it;
  }
  if (!metadata.devices.empty()) facts["device_count"] = metadata.devices.size();
  std::set<std::string> names;
  for (const TraceMetadata::Device& device : metadata.devices) {
    if (!device.facts.name.empty()) names.insert(device.facts.name);
  }
  if (!names.empty()) facts["device_names"] = names;
  return facts;
}

Json ParseObject(const std::string& text) {
  Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) root = Json::parse(CleanJson(text), nullptr, false);
  return root;
}

}  // namespace

TraceMetadata ParseMetadata(const std::string& text) {
  TraceMetadata metadata;
  const Json root = ParseObject(text);
  if (!root.is_object()) {
    metadata.is_readable = false;
    return metadata;
  }
  metadata.base_time_ns = Integer(root, "baseTimeNanoseconds").value_or(0);
  const auto devices = root.find("deviceProperties");
  if (devices != root.end() && devices->is_array()) ReadDevices(*devices, metadata);
  Json facts = Facts(root, metadata);
  const auto job = root.find("distributedInfo");
  if (job != root.end() && job->is_object()) {
    metadata.rank = Integer(*job, "rank");
    metadata.world_size = Integer(*job, "world_size");
    const std::string backend = Text(*job, "backend");
    if (!backend.empty()) facts["backend"] = backend;
  }
  metadata.facts_json = facts.dump(-1, ' ', false, Json::error_handler_t::replace);
  return metadata;
}

std::optional<int64_t> RankOfFileName(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (size_t at = name.find("rank"); at != std::string_view::npos;
       at = name.find("rank", at + 1)) {
    size_t begin = at + 4;
    if (begin < name.size() && (name[begin] == '-' || name[begin] == '_')) ++begin;
    const auto* end = std::find_if_not(name.begin() + begin, name.end(), IsDigit);
    const auto rank =
        ParseInteger(name.substr(begin, static_cast<size_t>(end - name.begin()) - begin));
    if (rank) return rank;
  }
  return std::nullopt;
}

}  // namespace gpuwhy::kineto
