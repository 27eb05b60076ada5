// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/throttle_rows.h"

#include <algorithm>

#include "collectors/roll_ups.h"
#include "schema/histogram.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kKind = "throttle";

// The recorder makes no roll-ups of rows by itself where the kernel counts: here nobody else does.
void AddRollUp(const HostEventRow& row, Recorder& recorder) {
  Histogram histogram;
  histogram.Add(row.duration_ns);
  const std::string encoded = histogram.Encode();
  LatencyRow latency;
  latency.bucket_ns = row.start_ns - row.start_ns % kRollUpWidthNs;
  latency.width_ns = kRollUpWidthNs;
  latency.source = NameOf(EventSource::kHostEvent);
  latency.name_id = recorder.InternName(kKind);
  latency.event_count = 1;
  latency.stored_count = 1;
  latency.sum_ns = row.duration_ns;
  latency.min_ns = row.duration_ns;
  latency.max_ns = row.duration_ns;
  latency.histogram = encoded;
  recorder.Add(latency);
}

}  // namespace

void AddThrottle(std::string_view cgroup_path, int64_t throttled_ns, const PollMoment& moment,
                 Recorder& recorder) {
  HostEventRow row;
  row.start_ns = moment.time_ns - moment.elapsed_ns;
  row.duration_ns = std::min(throttled_ns, moment.elapsed_ns);
  row.kind = kKind;
  row.detail_name_id = recorder.InternName(cgroup_path);
  recorder.Add(row);
  AddRollUp(row, recorder);
}

}  // namespace gpuwhy
