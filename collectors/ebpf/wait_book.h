// SPDX-License-Identifier: Apache-2.0
// Who waits on whom in the current second, from events that name another thread. Bounded: pairs
// beyond kMaxPairs are only summed. Names are read from /proc for the pairs that are handed out.
// One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "collectors/ebpf/second_summary.h"
#include "collectors/ebpf/wire.h"

namespace gpuwhy {

class WaitBook {
 public:
  // Tells the name of a thread that has ended or cannot be read; empty when it cannot either.
  using NameOfGone = std::function<std::string(uint32_t tid)>;

  explicit WaitBook(NameOfGone name_of_gone) : name_of_gone_(std::move(name_of_gone)) {}

  // Events without another thread are nobody's wait and ignored.
  void Add(const EventHeader& header, size_t size_bytes);
  // The longest pairs since the last call, and the sum of all others.
  void Take(std::vector<WaitPair>& pairs, int64_t& unlisted_ns);

 private:
  // tgid, tid, other tgid, other tid, kind, sub
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint16_t, uint16_t>;
  struct Sum {
    int64_t wait_count = 0;
    int64_t sum_ns = 0;
  };

  void AddPair(const Key& key, uint64_t duration_ns);
  WaitPair PairOf(const Key& key, const Sum& sum);
  ThreadLabel LabelOf(uint32_t tgid, uint32_t tid);

  NameOfGone name_of_gone_;
  std::map<Key, Sum> pairs_;
  int64_t beyond_ns_ = 0;
  std::unordered_map<uint32_t, ThreadLabel> last_labels_;  // by tid
};

}  // namespace gpuwhy
