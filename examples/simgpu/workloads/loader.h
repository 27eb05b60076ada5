// SPDX-License-Identifier: Apache-2.0
// Batches in order, from loader processes or made by the caller's own thread. Used by one thread.
// Make it before the first CUDA call: the processes are forked.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "examples/simgpu/workloads/batch.h"
#include "examples/simgpu/workloads/worker.h"

namespace gpuwhy::simgpu {

class Loader {
 public:
  static Result<Loader> Start(const LoaderOptions& options);

  // The bytes stay until the next call.
  Result<std::span<char>> NextBatch();
  void Stop();

 private:
  Worker& WorkerOf(int64_t number);

  std::vector<Worker> workers_;
  std::optional<BatchMaker> own_maker_;
  std::vector<char> own_batch_;
  int64_t number_ = 0;
};

}  // namespace gpuwhy::simgpu
