// SPDX-License-Identifier: Apache-2.0
// The device: operations in streams on engines, as a discrete-event model without a thread. Start
// and end of an operation are computed when it is submitted; only what follows a collective whose
// other ranks have not arrived stays open until Complete(). Waiting means to sleep until the
// computed end. Any thread; one mutex for all.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "examples/simgpu/core/engine.h"
#include "examples/simgpu/core/visibility.h"

namespace gpuwhy::simgpu {

struct Work {
  EngineKind engine = EngineKind::kNone;
  int64_t duration_ns = 0;
  const char* name = "";  // lives for ever
  size_t bytes = 0;
  // A collective: called once with the time at which it could start; Complete() tells the end.
  // Runs under the device's mutex.
  std::function<void(int64_t ready_ns)> when_ready = nullptr;
};

struct Op {
  Work work;
  const void* stream = nullptr;
  int64_t start_ns = 0;  // until it is known: the earliest one so far
  int64_t end_ns = 0;
  bool is_known = false;                   // start and end are
  bool is_open = false;                    // a collective that has started
  std::vector<std::shared_ptr<Op>> after;  // what must be known first
};
using OpRef = std::shared_ptr<Op>;

struct Capture;  // graphs.h

// Protected by the Device's mutex, except `capture`, which belongs to the capturing thread.
struct Stream {
  const void* handle = nullptr;
  bool is_blocking = true;  // orders itself with the legacy default stream
  bool is_closed = false;   // destroyed, but what was submitted still runs
  OpRef last;
  std::shared_ptr<Capture> capture;
};
using StreamRef = std::shared_ptr<Stream>;

class SIMGPU_SHARED Device {
 public:
  static Device& Get();

  // Behind everything in the stream and behind `after`.
  OpRef Submit(Stream& stream, Work work, const std::vector<OpRef>& after = {});
  // The same, but the stream does not wait for it: for the members of a group.
  OpRef SubmitBeside(Stream& stream, Work work, const std::vector<OpRef>& after);
  void Complete(const OpRef& collective, int64_t end_ns);

  // Sleep until the end.
  void WaitFor(const OpRef& op);
  void WaitFor(const Stream& stream);
  void WaitForAll();
  bool IsDone(const OpRef& op);
  bool IsDone(const Stream& stream);
  // The end of an operation that is done.
  int64_t EndOf(const OpRef& op);
  // Blocks while the launch queue is full, as a launch on a real device does.
  void WaitForQueueSlot();
  void CountInQueue(const OpRef& op);

  StreamRef AddStream(const void* handle, bool is_blocking);
  void CloseStream(const StreamRef& stream);
  Stream& legacy() { return *legacy_; }

 private:
  Device();
  OpRef MakeOp(Stream& stream, Work work, const std::vector<OpRef>& after);
  void Settle(const OpRef& op);
  void Place(Op& op);
  void SettleOpenOnes();
  std::vector<OpRef> LastOf(const Stream& stream);
  void DropClosedStreams();

  std::mutex mutex_;
  std::condition_variable some_known_;
  std::array<Engine, 5> engines_;
  std::vector<StreamRef> streams_;
  StreamRef legacy_;
  std::deque<OpRef> unknown_;  // in the order of submission
  std::deque<OpRef> queued_;   // launches that may not have ended
};

}  // namespace gpuwhy::simgpu
