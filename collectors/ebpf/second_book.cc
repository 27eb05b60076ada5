// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/second_book.h"

#include <algorithm>

#include "collectors/ebpf/event_decoder.h"

namespace gpuwhy {
namespace {

OperationSecond NewOperation(const CallRows& calls, uint16_t kind, uint16_t sub) {
  OperationSecond operation;
  if (kind == kEventCall) {
    operation.source = EventSource::kApiCall;
    operation.name = calls.TextOf(sub);
  } else if (kind == kEventOffCpu) {
    operation.source = EventSource::kOffCpu;
    operation.name = TextOf(static_cast<OffCpuReason>(sub));
  } else {
    operation.source = EventSource::kHostEvent;
    operation.name = TextOf(static_cast<HostKind>(sub));
  }
  return operation;
}

}  // namespace

void SecondBook::See(const std::map<RollUpRows::Key, RollUpRows::Totals>& pending) {
  for (const auto& [key, totals] : pending) {
    const auto& [second, tgid, kind, sub] = key;
    auto found = operations_.find({kind, sub});
    if (found == operations_.end()) {
      found = operations_.emplace(std::pair(kind, sub), NewOperation(calls_, kind, sub)).first;
    }
    OperationSecond& operation = found->second;
    operation.event_count += totals.event_count;
    operation.sum_ns += totals.sum_ns;
    operation.max_ns = std::max(operation.max_ns, totals.max_ns);
    operation.sum_bytes += totals.sum_bytes;
    operation.histogram.Merge(totals.histogram);
    event_count_ += totals.event_count;
    total_event_count_ += totals.event_count;
    total_stored_count_ += totals.stored_count;
  }
}

SecondSummary SecondBook::Take() {
  SecondSummary summary;
  for (auto& [key, operation] : operations_)
    summary.operations.push_back(std::move(operation));
  operations_.clear();
  std::stable_sort(summary.operations.begin(), summary.operations.end(),
                   [](const auto& a, const auto& b) { return a.sum_ns > b.sum_ns; });
  waits_.Take(summary.waits, summary.unlisted_wait_ns);
  summary.event_count = std::exchange(event_count_, 0);
  summary.total_event_count = total_event_count_;
  summary.total_stored_count = total_stored_count_;
  return summary;
}

}  // namespace gpuwhy
