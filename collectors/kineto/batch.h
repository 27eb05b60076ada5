// SPDX-License-Identifier: Apache-2.0
// What the parsing thread hands to the writing thread: the events of one chunk with everything
// their texts point into, and what went wrong in it. A batch is owned by one thread at a time.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collectors/kineto/event_parser.h"
#include "collectors/kineto/trace_event.h"
#include "schema/rows.h"

namespace gpuwhy::kineto {

struct BatchLoss {
  const LossKind* kind;
  std::string example;
};

struct Batch {
  std::vector<char> chunk;
  TextArena arena;
  std::vector<TraceEvent> events;
  std::vector<BatchLoss> losses;
  int64_t flow_count = 0;  // arrows, which carry nothing that is stored
  uint64_t done_bytes = 0;

  // Empties the batch and keeps its memory.
  void Clear() {
    arena.clear();
    events.clear();
    losses.clear();
    flow_count = 0;
  }
};

// A bounded queue between one producer and one consumer, and the way back for used batches, whose
// memory would otherwise be faulted in anew for each chunk. Close() may be called from either side
// and ends both.
class BatchQueue {
 public:
  explicit BatchQueue(size_t capacity) : capacity_(capacity) {}

  // False when the consumer has closed the queue.
  bool Push(Batch batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || batches_.size() < capacity_; });
    if (is_closed_) return false;
    batches_.push_back(std::move(batch));
    changed_.notify_all();
    return true;
  }
  // Nothing once the queue is closed and empty.
  std::optional<Batch> Pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || !batches_.empty(); });
    if (batches_.empty()) return std::nullopt;
    Batch batch = std::move(batches_.front());
    batches_.pop_front();
    changed_.notify_all();
    return batch;
  }
  // A used batch for the producer to fill again, if the consumer has given one back.
  Batch TakeUsed() {
    const std::lock_guard lock(mutex_);
    if (used_.empty()) return {};
    Batch batch = std::move(used_.back());
    used_.pop_back();
    batch.Clear();
    return batch;
  }
  void GiveBack(Batch batch) {
    const std::lock_guard lock(mutex_);
    used_.push_back(std::move(batch));
  }
  void Close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> batches_;
  std::vector<Batch> used_;
  bool is_closed_ = false;
};

}  // namespace gpuwhy::kineto
