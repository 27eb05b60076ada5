// SPDX-License-Identifier: Apache-2.0
// The kernel's roll-ups, one entry a histogram bucket, joined to rows of table latency. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "collectors/ebpf/call_rows.h"
#include "collectors/ebpf/process_book.h"
#include "collectors/ebpf/wire.h"
#include "collectors/recorder.h"
#include "schema/histogram.h"

namespace gpuwhy {

class RollUpRows {
 public:
  RollUpRows(Recorder& recorder, ProcessBook& processes, const CallRows& calls)
      : recorder_(recorder), processes_(processes), calls_(calls) {}

  void Add(const RollUpKey& key, const RollUpValue& value);
  // Writes and forgets what was added.
  void Write();

  // Counts of this write by kind and sub, over all processes, for the live view.
  struct Totals {
    int64_t event_count = 0;
    int64_t stored_count = 0;
    int64_t sum_ns = 0;
    int64_t min_ns = INT64_MAX;
    int64_t max_ns = 0;
    int64_t sum_bytes = 0;
    Histogram histogram;
  };
  using Key = std::tuple<uint32_t, uint32_t, uint16_t, uint16_t>;  // second, tgid, kind, sub
  const std::map<Key, Totals>& pending() const { return pending_; }

 private:
  std::string_view SourceOf(uint16_t kind) const;
  int64_t NameOf(uint16_t kind, uint16_t sub) const;

  Recorder& recorder_;
  ProcessBook& processes_;
  const CallRows& calls_;
  std::map<Key, Totals> pending_;
};

}  // namespace gpuwhy
