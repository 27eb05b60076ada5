// SPDX-License-Identifier: Apache-2.0
#include "collectors/queue/device_queue.h"

#include <algorithm>

namespace gpuwhy {

void DeviceQueue::Add(const QueueCall& call) {
  last_end_ns_ = std::max(last_end_ns_, call.end_ns);
  switch (call.role) {
    case QueueRole::kNone:
      return;
    case QueueRole::kSubmit:
      return Submit(call);
    case QueueRole::kSubmitAndWait:
      Submit(call);
      return Prove(HeldBy(call.stream, call.start_ns + 1), call);
    case QueueRole::kWaitForStream:
      return Prove(HeldBy(call.stream, call.start_ns), call);
    case QueueRole::kWaitForDevice:
      return Prove(HeldByAll(call.start_ns), call);
    case QueueRole::kWaitForEvent:
      return Prove(events_[call.event], call);
    case QueueRole::kRecordEvent:
      events_[call.event] = HeldBy(call.stream, call.start_ns);
      if (streams_[call.stream].is_capturing) captured_events_.insert(call.event);
      return;
    case QueueRole::kStreamWaits:
      for (const auto& [stream, number] : events_[call.event]) {
        int64_t& own = streams_[call.stream].depends[stream];
        own = std::max(own, number);
      }
      if (captured_events_.contains(call.event)) streams_[call.stream].is_capturing = true;
      return;
    case QueueRole::kBeginCapture:
      streams_[call.stream].is_capturing = true;
      return;
    case QueueRole::kEndCapture:
      return EndCapture();
  }
}

// Streams that an event drew in leave with the one that began.
void DeviceQueue::EndCapture() {
  for (auto& [handle, stream] : streams_)
    stream.is_capturing = false;
  captured_events_.clear();
}

// What an empty stream proves: the work it had been given before `time_ns`, and what it waited for.
DeviceQueue::Frontier DeviceQueue::HeldBy(int64_t handle, int64_t time_ns) {
  const Stream& stream = streams_[handle];
  Frontier held = stream.depends;
  const auto later = std::ranges::lower_bound(stream.start_ns, time_ns);
  held[handle] = stream.done + (later - stream.start_ns.begin());
  return held;
}

DeviceQueue::Frontier DeviceQueue::HeldByAll(int64_t time_ns) {
  Frontier held;
  for (const auto& [handle, stream] : streams_) {
    const auto later = std::ranges::lower_bound(stream.start_ns, time_ns);
    held[handle] = stream.done + (later - stream.start_ns.begin());
  }
  return held;
}

void DeviceQueue::Submit(const QueueCall& call) {
  Stream& stream = streams_[call.stream];
  if (stream.is_capturing) return;
  if (outstanding_count_ == 0) {
    open_ = {
        .start_ns = call.start_ns, .end_ns = 0, .first_call_id = call.row_id, .last_call_id = {}};
  }
  if (stream.start_ns.empty()) ++outstanding_count_;
  ++stream.submitted;
  // Calls of other threads return in another order than they began.
  stream.start_ns.insert(std::ranges::upper_bound(stream.start_ns, call.start_ns), call.start_ns);
}

void DeviceQueue::Prove(const Frontier& done, const QueueCall& wait) {
  const bool was_open = outstanding_count_ > 0;
  for (const auto& [handle, number] : done) {
    Stream& stream = streams_[handle];
    const bool had_work = !stream.start_ns.empty();
    for (; stream.done < number && !stream.start_ns.empty(); ++stream.done) {
      stream.start_ns.pop_front();
    }
    if (had_work && stream.start_ns.empty()) --outstanding_count_;
  }
  if (!was_open || outstanding_count_ > 0) return;
  open_.end_ns = wait.end_ns;
  open_.last_call_id = wait.row_id;
  on_work_(open_);
}

void DeviceQueue::Finish() {
  if (outstanding_count_ == 0) return;
  open_.end_ns = last_end_ns_;
  on_work_(open_);
  outstanding_count_ = 0;
}

}  // namespace gpuwhy
