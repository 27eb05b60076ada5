// SPDX-License-Identifier: Apache-2.0
#include "collectors/queue/queue_book.h"

namespace gpuwhy {
namespace {

constexpr int64_t kPerThreadHandle = 2;  // cudaStreamPerThread

}  // namespace

void QueueBook::SetName(int64_t name_id, std::string_view name) {
  traits_[name_id] = {QueueRoleOf(name), name.ends_with("_ptsz") || name.ends_with("_ptds")};
}

void QueueBook::Add(const ApiCallRow& call, int64_t row_id) {
  const Traits traits = traits_[call.name_id];
  const bool has_failed = call.return_code.value_or(0) != 0;
  if (traits.role == QueueRole::kNone || call.parent_id || has_failed) return;
  const int64_t handle = call.stream.value_or(0);
  const bool is_own = handle == kPerThreadHandle || (traits.is_per_thread && handle == 0);
  const int64_t process_id = recorder_.ProcessOfThread(call.thread_id);
  const auto write = [this, process_id](const QueueStretch& work) {
    recorder_.Add(QueuedWorkRow{.start_ns = work.start_ns,
                                .duration_ns = work.end_ns - work.start_ns,
                                .process_id = process_id,
                                .first_call_id = work.first_call_id,
                                .last_call_id = work.last_call_id});
  };
  DeviceQueue& queue = queues_.try_emplace(process_id, write).first->second;
  queue.Add({.role = traits.role,
             .start_ns = call.start_ns,
             .end_ns = call.start_ns + call.duration_ns,
             // Handles are addresses: negative numbers are free for the streams of threads.
             .stream = is_own ? -call.thread_id : handle,
             .event = call.event.value_or(0),
             .row_id = row_id});
}

void QueueBook::EndProcess(int64_t process_id) {
  const auto queue = queues_.find(process_id);
  if (queue == queues_.end()) return;
  queue->second.Finish();
  queues_.erase(queue);
}

void QueueBook::Finish() {
  while (!queues_.empty())
    EndProcess(queues_.begin()->first);
}

}  // namespace gpuwhy
