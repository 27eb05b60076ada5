// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/nccl/communicator.h"

#include <pthread.h>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/settings.h"

namespace gpuwhy::simgpu {

Communicator::Communicator(std::unique_ptr<Rendezvous> rendezvous, int rank, int rank_count)
    : rendezvous_(std::move(rendezvous)), rank_(rank), rank_count_(rank_count) {
  thread_ = std::thread([this] { Serve(); });
  pthread_setname_np(thread_.native_handle(), "simgpu-nccl");
}

Communicator::~Communicator() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  rendezvous_->Wake();
  thread_.join();
}

Rendezvous::Meeting Communicator::NextMeeting(const Collective& collective) {
  const bool is_pair = collective.peer_from >= 0;
  const int channel = is_pair ? Rendezvous::PairChannel(collective.peer_from, collective.peer_to)
                              : Rendezvous::CollectiveChannel();
  return {.channel = channel,
          .number = next_number_[channel]++,
          .party_count = is_pair ? 2 : rank_count_};
}

OpRef Communicator::Submit(const Collective& collective, Stream& stream, bool is_in_group) {
  const std::lock_guard lock(mutex_);
  const Rendezvous::Meeting meeting = NextMeeting(collective);
  const Work work{.engine = EngineKind::kLink,
                  .name = collective.name,
                  .bytes = collective.bytes,
                  .when_ready = [rendezvous = rendezvous_, meeting](int64_t ready_ns) {
                    rendezvous->Arrive(meeting, ready_ns);
                  }};
  OpRef& last = last_[meeting.channel];
  last = is_in_group ? Device::Get().SubmitBeside(stream, work, {last})
                     : Device::Get().Submit(stream, work, {last});
  const double bytes = static_cast<double>(collective.bytes) * collective.traffic;
  pending_.push_back(
      {.op = last,
       .meeting = meeting,
       .transfer_ns = TransferNs(static_cast<size_t>(bytes), GetSettings().link_bytes_per_s)});
  rendezvous_->Wake();
  return last;
}

void Communicator::Serve() {
  for (;;) {
    const uint32_t version = rendezvous_->Version();
    while (CompleteOne()) {
    }
    {
      const std::lock_guard lock(mutex_);
      if (is_ending_ && pending_.empty()) return;
    }
    rendezvous_->WaitForChange(version);
  }
}

// An operation that waits for its own stream has not arrived, so it is not complete either.
bool Communicator::CompleteOne() {
  const std::lock_guard lock(mutex_);
  for (auto pending = pending_.begin(); pending != pending_.end(); ++pending) {
    if (const auto latest_ns = rendezvous_->LatestOf(pending->meeting)) {
      Device::Get().Complete(pending->op, *latest_ns + pending->transfer_ns);
      pending_.erase(pending);
      return true;
    }
  }
  return false;
}

}  // namespace gpuwhy::simgpu
