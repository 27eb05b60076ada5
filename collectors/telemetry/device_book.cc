// SPDX-License-Identifier: Apache-2.0
#include "collectors/telemetry/device_book.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "collectors/process/number_text.h"
#include "collectors/telemetry/cell.h"
#include "collectors/telemetry/losses.h"
#include "schema/base/text.h"

namespace gpuwhy::telemetry {
namespace {

constexpr int64_t kMaxIndex = 65'535;
constexpr double kMaxMemoryBytes = 1e15;

std::optional<int64_t> IndexOf(std::string_view text) {
  const auto index = TakeNumber<int64_t>(text);
  const bool is_index = index && text.empty() && *index >= 0 && *index <= kMaxIndex;
  return is_index ? index : std::nullopt;
}

// Words that say something, else nothing.
std::string_view Said(std::string_view text) {
  return ReadCell(text).kind == CellKind::kMissing ? std::string_view() : text;
}

std::string StoredText(std::string_view text) {
  return text.empty() ? std::string() : CleanText(text);
}

}  // namespace

Device* DeviceBook::Find(const DeviceCells& cells) {
  std::string_view key = cells.index;
  if (key.empty()) key = cells.uuid;
  if (key.empty()) key = cells.bus_id;
  if (key.empty()) recorder_.SetLoss(kDeviceNotNamed, 1);
  if (const auto known = devices_.find(key); known != devices_.end()) return &known->second;
  if (devices_.size() == kMaxDevices) return nullptr;
  const auto index = cells.index.empty() ? std::nullopt : IndexOf(cells.index);
  return &Add(std::string(key), index.value_or(next_index_), cells);
}

Device& DeviceBook::Add(const std::string& key, int64_t index, const DeviceCells& cells) {
  next_index_ = std::max(next_index_, index + 1);
  Device& device = devices_[key];
  device.gpu_id = recorder_.GpuOf(index);
  recorder_.SetGpu(device.gpu_id,
                   {.uuid = StoredText(Said(cells.uuid)),
                    .name = StoredText(Said(cells.name)),
                    .compute_capability = StoredText(Said(cells.compute_capability))});
  return device;
}

void DeviceBook::SetMemory(const Device& device, double bytes) {
  if (!(bytes > 0 && bytes < kMaxMemoryBytes)) return;
  int64_t& known = memory_bytes_[device.gpu_id];
  if (std::exchange(known, std::llround(bytes)) == known) return;
  recorder_.SetGpu(device.gpu_id, {.memory_bytes = known});
}

}  // namespace gpuwhy::telemetry
