// SPDX-License-Identifier: Apache-2.0
// One rank of a communicator. Its thread, like NCCL's proxy thread, sleeps until another rank has
// arrived and then ends the device operations that were waiting for it. Any thread may call.
#pragma once

#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "examples/simgpu/core/device.h"
#include "examples/simgpu/nccl/rendezvous.h"

namespace gpuwhy::simgpu {

struct Collective {
  const char* name = "";
  size_t bytes = 0;
  double traffic = 1;  // bytes over the slowest link for each byte of the operation
  int peer_from = -1;  // of a point-to-point operation; -1: all ranks
  int peer_to = -1;
};

class Communicator {
 public:
  Communicator(std::unique_ptr<Rendezvous> rendezvous, int rank, int rank_count);
  ~Communicator();  // waits for what was submitted
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int rank_count() const { return rank_count_; }

  // Behind everything in the stream and the previous one of its channel. Members of a group do not
  // hold up each other: the caller makes the stream wait for all.
  OpRef Submit(const Collective& collective, Stream& stream, bool is_in_group);

 private:
  struct Pending {
    OpRef op;
    Rendezvous::Meeting meeting;
    int64_t transfer_ns = 0;
  };
  Rendezvous::Meeting NextMeeting(const Collective& collective);
  void Serve();
  bool CompleteOne();

  const std::shared_ptr<Rendezvous> rendezvous_;  // open operations hold it as well
  const int rank_;
  const int rank_count_;
  std::mutex mutex_;
  bool is_ending_ = false;
  std::list<Pending> pending_;
  std::map<int, int64_t> next_number_;  // by channel
  std::map<int, OpRef> last_;           // by channel
  std::thread thread_;
};

}  // namespace gpuwhy::simgpu
