// SPDX-License-Identifier: Apache-2.0
// Small pieces that every detector is written with: facts with units, row ids, the two ways of
// having nothing, and the words for collectors that are not there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tools/detector.h"

namespace gpuwhy {

inline constexpr std::string_view kNeedsScheduling =
    "kernel scheduling rows (sched_switch with reason and waker)";
inline constexpr std::string_view kNeedsStacks = "stack samples of the host threads";
inline constexpr std::string_view kNeedsDevice =
    "device rows (kernels and copies, as torch.profiler or CUPTI record them)";
inline constexpr std::string_view kNeedsCalls = "CUDA API calls";

inline Fact NsFact(std::string key, std::string label, int64_t value_ns) {
  return {.key = std::move(key), .label = std::move(label), .unit = Unit::kNs, .value = value_ns};
}
inline Fact CountFact(std::string key, std::string label, int64_t count) {
  return {.key = std::move(key), .label = std::move(label), .unit = Unit::kCount, .value = count};
}
inline Fact BytesFact(std::string key, std::string label, int64_t bytes) {
  return {.key = std::move(key), .label = std::move(label), .unit = Unit::kBytes, .value = bytes};
}
inline Fact PctFact(std::string key, std::string label, double ratio) {
  return {
      .key = std::move(key), .label = std::move(label), .unit = Unit::kPct, .value = ratio * 100};
}
inline Fact TextFact(std::string key, std::string label, std::string text) {
  return {.key = std::move(key), .label = std::move(label), .value = std::move(text)};
}

inline std::string RowId(std::string_view table, int64_t id) {
  return std::string(table) + ":" + std::to_string(id);
}

inline Detection NothingFound(std::string reason) {
  return NoFinding{.is_abstention = false, .reason = std::move(reason)};
}
inline Detection Abstain(std::string reason) {
  return NoFinding{.is_abstention = true, .reason = std::move(reason)};
}

}  // namespace gpuwhy
