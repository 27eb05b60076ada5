// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/wait_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "collectors/ebpf/event_decoder.h"

namespace gpuwhy {
namespace {

constexpr size_t kMaxPairs = 4096;
constexpr size_t kListedPairs = 40;  // more than a tall terminal shows
constexpr size_t kMaxLabels = 4096;

std::string_view ReasonOf(uint16_t kind, uint16_t sub) {
  return kind == kEventOffCpu ? TextOf(static_cast<OffCpuReason>(sub))
                              : TextOf(static_cast<HostKind>(sub));
}

}  // namespace

void WaitBook::Add(const EventHeader& header, size_t size_bytes) {
  if (header.kind == kEventOffCpu && size_bytes == sizeof(OffCpuEvent)) {
    const auto& event = reinterpret_cast<const OffCpuEvent&>(header);
    const bool is_preempted = header.sub == kReasonPreempted;
    const uint32_t tgid = is_preempted ? event.preemptor_tgid : event.waker_tgid;
    const uint32_t tid = is_preempted ? event.preemptor_tid : event.waker_tid;
    if (tid == 0) return;
    AddPair({header.tgid, header.tid, tgid, tid, header.kind, header.sub}, event.duration_ns);
  } else if (header.kind == kEventHost && size_bytes == sizeof(HostEvent)) {
    const auto& event = reinterpret_cast<const HostEvent&>(header);
    if (event.other_tid == 0) return;
    AddPair({header.tgid, header.tid, event.other_tgid, event.other_tid, header.kind, header.sub},
            event.duration_ns);
  }
}

void WaitBook::AddPair(const Key& key, uint64_t duration_ns) {
  auto found = pairs_.find(key);
  if (found == pairs_.end() && pairs_.size() >= kMaxPairs) {
    beyond_ns_ += static_cast<int64_t>(duration_ns);
    return;
  }
  if (found == pairs_.end()) found = pairs_.emplace(key, Sum{}).first;
  ++found->second.wait_count;
  found->second.sum_ns += static_cast<int64_t>(duration_ns);
}

void WaitBook::Take(std::vector<WaitPair>& pairs, int64_t& unlisted_ns) {
  std::vector<std::pair<Key, Sum>> sorted(pairs_.begin(), pairs_.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.second.sum_ns > b.second.sum_ns; });
  unlisted_ns = std::exchange(beyond_ns_, 0);
  for (const auto& [key, sum] : sorted) {
    if (pairs.size() < kListedPairs) {
      pairs.push_back(PairOf(key, sum));
    } else {
      unlisted_ns += sum.sum_ns;
    }
  }
  pairs_.clear();
}

WaitPair WaitBook::PairOf(const Key& key, const Sum& sum) {
  const auto& [tgid, tid, other_tgid, other_tid, kind, sub] = key;
  return {.waiter = LabelOf(tgid, tid),
          .other = LabelOf(other_tgid, other_tid),
          .reason = std::string(ReasonOf(kind, sub)),
          .wait_count = sum.wait_count,
          .sum_ns = sum.sum_ns};
}

// Threads rename themselves, so a living one is asked each time.
ThreadLabel WaitBook::LabelOf(uint32_t tgid, uint32_t tid) {
  ThreadLabel label{.pid = tgid, .tid = tid, .name = {}};
  std::ifstream file(fmt::format("/proc/{}/task/{}/comm", tgid, tid));
  std::getline(file, label.name);
  if (label.name.empty()) {
    const auto last = last_labels_.find(tid);
    if (last != last_labels_.end() && last->second.pid == tgid) return last->second;
    label.name = name_of_gone_(tid);
  }
  if (last_labels_.size() >= kMaxLabels) last_labels_.clear();
  last_labels_[tid] = label;
  return label;
}

}  // namespace gpuwhy
