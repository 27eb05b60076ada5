// SPDX-License-Identifier: Apache-2.0
// Makes batches: reads what was asked for, burns the CPU time of decoding, fills the bytes. Used by
// one thread.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "examples/simgpu/workloads/options.h"
#include "schema/base/result.h"

namespace gpuwhy::simgpu {

class BatchMaker {
 public:
  static Result<BatchMaker> Make(const LoaderOptions& options);

  // The bytes of batch `number` into `batch`.
  Status MakeBatch(int64_t number, std::span<char> batch);

 private:
  Status ReadFile(int64_t number);

  LoaderOptions options_;
  std::vector<std::filesystem::path> files_;
  std::vector<char> read_buffer_;
};

}  // namespace gpuwhy::simgpu
