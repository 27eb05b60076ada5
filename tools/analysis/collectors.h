// SPDX-License-Identifier: Apache-2.0
// Kinds of rows a trace may hold, and how to get those it lacks: what "not observed" refers to.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

enum class Collector {
  kGpuOp,
  kApiCall,
  kQueuedWork,
  kRange,
  kOffCpu,
  kHostEvent,
  kSample,
  kCounter,
  kLatency,
  kForeignFinding,
};

inline constexpr int kCollectorCount = 10;

struct CollectorInfo {
  Collector collector;
  std::string_view table;
  std::string_view label;       // "kernel scheduling"
  std::string_view how_to_get;  // "use a recorder that samples stacks"
};

std::span<const CollectorInfo> AllCollectors();
const CollectorInfo& InfoOf(Collector collector);

// Which tables have rows. Absent rows mean "not observed", never "did not happen".
class Presence {
 public:
  static Result<Presence> Load(const TraceDb& db);
  bool Has(Collector collector) const { return has_[static_cast<size_t>(collector)]; }
  // "no stack samples rows (sample): use a recorder that samples stacks"
  static std::string MissingText(Collector collector);

 private:
  std::array<bool, kCollectorCount> has_{};
};

}  // namespace gpuwhy
