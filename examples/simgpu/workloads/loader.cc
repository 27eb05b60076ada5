// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/workloads/loader.h"

#include <utility>

namespace gpuwhy::simgpu {

Result<Loader> Loader::Start(const LoaderOptions& options) {
  Loader loader;
  for (int number = 0; number < options.workers; ++number) {
    GPUWHY_ASSIGN_OR_RETURN(Worker worker, Worker::Start(options, number));
    loader.workers_.push_back(std::move(worker));
  }
  if (options.workers > 0) return loader;
  GPUWHY_ASSIGN_OR_RETURN(loader.own_maker_, BatchMaker::Make(options));
  loader.own_batch_.resize(options.batch_bytes);
  return loader;
}

Worker& Loader::WorkerOf(int64_t number) {
  return workers_[static_cast<size_t>(number) % workers_.size()];
}

Result<std::span<char>> Loader::NextBatch() {
  const int64_t number = number_++;
  if (own_maker_) {
    GPUWHY_RETURN_IF_ERROR(own_maker_->MakeBatch(number, own_batch_));
    return std::span<char>(own_batch_);
  }
  if (number > 0) WorkerOf(number - 1).Release();
  return WorkerOf(number).Take();
}

// Backwards: a worker has inherited the pipe ends of those before it.
void Loader::Stop() {
  for (auto worker = workers_.rbegin(); worker != workers_.rend(); ++worker)
    worker->Stop();
}

}  // namespace gpuwhy::simgpu
