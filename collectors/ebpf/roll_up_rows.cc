// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/roll_up_rows.h"

#include <algorithm>

#include "collectors/ebpf/event_decoder.h"
#include "collectors/roll_ups.h"

namespace gpuwhy {

void RollUpRows::Add(const RollUpKey& key, const RollUpValue& value) {
  Totals& totals = pending_[{key.second, key.tgid, key.kind, key.sub}];
  const auto count = static_cast<int64_t>(value.event_count);
  totals.event_count += count;
  totals.stored_count += static_cast<int64_t>(value.stored_count);
  totals.sum_ns += static_cast<int64_t>(value.sum_ns);
  totals.sum_bytes += static_cast<int64_t>(value.sum_bytes);
  totals.min_ns = std::min(totals.min_ns, static_cast<int64_t>(value.min_ns));
  totals.max_ns = std::max(totals.max_ns, static_cast<int64_t>(value.max_ns));
  totals.histogram.Add(Histogram::MiddleOf(key.bucket), count);
}

std::string_view RollUpRows::SourceOf(uint16_t kind) const {
  if (kind == kEventCall) return gpuwhy::NameOf(EventSource::kApiCall);
  return gpuwhy::NameOf(kind == kEventOffCpu ? EventSource::kOffCpu : EventSource::kHostEvent);
}

int64_t RollUpRows::NameOf(uint16_t kind, uint16_t sub) const {
  if (kind == kEventCall) return calls_.NameOf(sub);
  return recorder_.InternName(kind == kEventOffCpu ? TextOf(static_cast<OffCpuReason>(sub))
                                                   : TextOf(static_cast<HostKind>(sub)));
}

void RollUpRows::Write() {
  for (const auto& [key, totals] : pending_) {
    const auto& [second, tgid, kind, sub] = key;
    const std::string histogram = totals.histogram.Encode();
    LatencyRow row;
    row.bucket_ns = int64_t{second} * kRollUpWidthNs;
    row.width_ns = kRollUpWidthNs;
    row.process_id = processes_.Process(tgid);
    row.source = SourceOf(kind);
    row.name_id = NameOf(kind, sub);
    row.event_count = totals.event_count;
    row.stored_count = totals.stored_count;
    row.sum_ns = totals.sum_ns;
    row.min_ns = totals.min_ns;
    row.max_ns = totals.max_ns;
    row.sum_bytes = totals.sum_bytes;
    row.histogram = histogram;
    recorder_.Add(row);
  }
  pending_.clear();
}

}  // namespace gpuwhy
