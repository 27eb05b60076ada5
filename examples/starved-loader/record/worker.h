// SPDX-License-Identifier: Apache-2.0
// One loader process, as the workers of a PyTorch DataLoader: makes its batches into two slots of
// shared memory and tells the trainer through a pipe; waits for a free slot through another.
#pragma once

#include <unistd.h>

#include <span>

#include "examples/starved-loader/record/image.h"
#include "examples/starved-loader/record/logs.h"

namespace gpuwhy::starved_loader {

inline constexpr int kWorkerCount = 4;
inline constexpr size_t kSlotsPerWorker = 2;

struct Slots {
  float floats[kSlotsPerWorker][kBatchFloats];
};

// Belongs to the trainer, which forks the process and later ends and reaps it.
class Worker {
 public:
  static Result<Worker> Start(int number, std::span<const CompressedImage> images);

  pid_t pid() const { return log_->pid; }
  const WorkerLog& log() const { return *log_; }  // complete after Stop()

  // Blocks until the next batch is there. False: the worker has died.
  bool WaitForBatch() const;
  std::span<const float> Batch(int64_t number) const;
  // The slot of the batch taken last may be filled again.
  void FreeSlot() const;
  void Stop();

 private:
  WorkerLog* log_ = nullptr;  // shared memory, kept until the program ends
  Slots* slots_ = nullptr;    // likewise
  int ready_fd_ = -1;
  int free_fd_ = -1;
};

}  // namespace gpuwhy::starved_loader
