// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a communicator meet: shared memory with a few slots for each channel. A rank
// that could start operation n of a channel writes when; once all have, everyone knows the time
// of the last. Four slots are enough: who arrives at n+1 has seen n complete.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gpuwhy::simgpu {

inline constexpr int kMostRanks = 16;

class Rendezvous {
 public:
  // Waits until all ranks are here. Null where shared memory cannot be had.
  static std::unique_ptr<Rendezvous> Join(const std::string& name, int rank_count);
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  struct Meeting {
    int channel = 0;
    int64_t number = 0;  // counts within the channel, from 0
    int party_count = 0;
  };
  void Arrive(const Meeting& meeting, int64_t ready_ns);
  // When the last one was ready; nothing while somebody is missing.
  std::optional<int64_t> LatestOf(const Meeting& meeting) const;

  // Changes with each arrival of any rank, and with Wake().
  uint32_t Version() const;
  void WaitForChange(uint32_t version) const;
  void Wake();

  // The channel of all ranks, and one for each ordered pair.
  static int CollectiveChannel() { return 0; }
  static int PairChannel(int from, int to) { return 1 + from * kMostRanks + to; }

 private:
  struct Slot {
    std::atomic<int64_t> latest_ns;  // never falls, so it needs no reset
    std::atomic<int64_t> arrivals;   // of all meetings that used the slot
  };
  static constexpr int kSlots = 4;
  static constexpr int kChannels = 1 + kMostRanks * kMostRanks;
  struct Shared {  // all zero when it is new
    std::atomic<uint32_t> version;
    std::atomic<int> joined_count;
    Slot slots[kChannels][kSlots];
  };

  explicit Rendezvous(Shared* shared) : shared_(shared) {}
  Slot& SlotOf(const Meeting& meeting) const;

  Shared* shared_;
};

}  // namespace gpuwhy::simgpu
