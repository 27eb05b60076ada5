// SPDX-License-Identifier: Apache-2.0
// A loader process and what connects it with the trainer, which owns it: two pipes, and slots in
// shared memory or the ready pipe itself for the bytes of batches. The process makes a batch for
// each free slot it is told of, in order.
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

#include "examples/simgpu/workloads/options.h"
#include "examples/simgpu/workloads/unique_fd.h"
#include "schema/base/result.h"

namespace gpuwhy::simgpu {

class Worker {
 public:
  // Worker `number` of options.workers makes the batches number, number + workers, ...
  static Result<Worker> Start(const LoaderOptions& options, int number);
  Worker(Worker&&) = default;
  Worker& operator=(Worker&&) = default;

  // Waits for the next batch. The bytes stay until Release().
  Result<std::span<char>> Take();
  void Release();
  void Stop();

 private:
  Worker() = default;
  Status MakeChannels(UniqueFd& job_fd, UniqueFd& result_fd);
  std::span<char> SlotOf(int64_t count) const;
  [[noreturn]] void Serve(const UniqueFd& job_fd, const UniqueFd& result_fd);
  Status MakeNext(class BatchMaker& maker, int64_t count, const UniqueFd& result_fd);

  LoaderOptions options_;
  int number_ = 0;
  pid_t pid_ = -1;
  UniqueFd free_fd_;   // trainer -> worker: a byte for each free slot
  UniqueFd ready_fd_;  // worker -> trainer: a byte, or the batch
  char* slots_ = nullptr;
  int64_t taken_count_ = 0;
};

}  // namespace gpuwhy::simgpu
