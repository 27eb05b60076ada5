// SPDX-License-Identifier: Apache-2.0
#include "collectors/queue/queue_role.h"

#include <algorithm>
#include <array>

namespace gpuwhy {
namespace {

struct Rule {
  std::string_view part;  // of the name
  QueueRole role;
};

// The first that the name contains.
constexpr std::array<Rule, 22> kRules = {{
    {"DeviceSynchronize", QueueRole::kWaitForDevice},
    {"CtxSynchronize", QueueRole::kWaitForDevice},
    {"ThreadSynchronize", QueueRole::kWaitForDevice},
    {"DeviceReset", QueueRole::kWaitForDevice},
    {"StreamSynchronize", QueueRole::kWaitForStream},
    {"StreamQuery", QueueRole::kWaitForStream},
    {"EventSynchronize", QueueRole::kWaitForEvent},
    {"EventQuery", QueueRole::kWaitForEvent},
    {"EventRecord", QueueRole::kRecordEvent},
    {"StreamWaitEvent", QueueRole::kStreamWaits},
    {"StreamBeginCapture", QueueRole::kBeginCapture},
    {"StreamEndCapture", QueueRole::kEndCapture},
    {"Launch", QueueRole::kSubmit},
    {"MemPrefetchAsync", QueueRole::kSubmit},
    {"Memset", QueueRole::kSubmit},
    {"Memcpy", QueueRole::kSubmit},
    {"ncclAll", QueueRole::kSubmit},
    {"ncclReduce", QueueRole::kSubmit},
    {"ncclBroadcast", QueueRole::kSubmit},
    {"ncclBcast", QueueRole::kSubmit},
    {"ncclSend", QueueRole::kSubmit},
    {"ncclRecv", QueueRole::kSubmit},
}};

}  // namespace

QueueRole QueueRoleOf(std::string_view call_name) {
  const bool is_copy = call_name.find("Memcpy") != std::string_view::npos;
  const bool is_asynchronous = call_name.find("Async") != std::string_view::npos;
  if (is_copy && !is_asynchronous) return QueueRole::kSubmitAndWait;
  const auto* rule = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& candidate) {
    return call_name.find(candidate.part) != std::string_view::npos;
  });
  return rule == kRules.end() ? QueueRole::kNone : rule->role;
}

}  // namespace gpuwhy
