// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/workloads/batch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/workloads/unique_fd.h"

namespace gpuwhy::simgpu {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;

// Stacks show it by its name.
__attribute__((noinline)) void DecodeBatch(double cpu_ms, int64_t number, std::span<char> batch) {
  BurnCpuNs(static_cast<int64_t>(cpu_ms * 1e6));
  std::memset(batch.data(), static_cast<int>(number & 0xff), batch.size());
}

}  // namespace

Result<BatchMaker> BatchMaker::Make(const LoaderOptions& options) {
  BatchMaker maker;
  maker.options_ = options;
  if (options.read_dir.empty()) return maker;
  for (const auto& entry : std::filesystem::directory_iterator(options.read_dir)) {
    if (entry.is_regular_file()) maker.files_.push_back(entry.path());
  }
  if (maker.files_.empty())
    return NotFound(options.read_dir + " has no files to read: put some there");
  std::sort(maker.files_.begin(), maker.files_.end());
  maker.read_buffer_.resize(kReadBytes);
  return maker;
}

// Blocks of a file one after the other, from the start again at its end.
Status BatchMaker::ReadFile(int64_t number) {
  const auto& path = files_[static_cast<size_t>(number) % files_.size()];
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.ok()) return Unavailable("cannot read " + path.string());
  if (options_.is_cache_dropped) posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  for (size_t left = options_.read_bytes; left > 0;) {
    const ssize_t got = read(file.get(), read_buffer_.data(), std::min(left, kReadBytes));
    if (got < 0) return Unavailable("cannot read " + path.string());
    if (got == 0 && lseek(file.get(), 0, SEEK_CUR) == 0)
      return Unavailable(path.string() + " is empty: nothing can be read from it");
    if (got == 0) lseek(file.get(), 0, SEEK_SET);
    left -= static_cast<size_t>(got);
  }
  return {};
}

Status BatchMaker::MakeBatch(int64_t number, std::span<char> batch) {
  if (!files_.empty()) GPUWHY_RETURN_IF_ERROR(ReadFile(number));
  DecodeBatch(options_.batch_cpu_ms, number, batch);
  return {};
}

}  // namespace gpuwhy::simgpu
