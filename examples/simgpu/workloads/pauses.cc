// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/workloads/pauses.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/workloads/unique_fd.h"

namespace gpuwhy::simgpu {
namespace {

constexpr size_t kWriteBytes = size_t{1} << 20;

// Stacks show these by their names.
__attribute__((noinline)) Status SaveCheckpoint(const PauseOptions& options) {
  const UniqueFd file(
      open(options.checkpoint_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  const std::vector<char> block(kWriteBytes, 'w');
  for (size_t left = file.ok() ? options.checkpoint_bytes : 0; left > 0;) {
    const ssize_t put = write(file.get(), block.data(), std::min(left, block.size()));
    if (put <= 0) return Unavailable("cannot write the checkpoint " + options.checkpoint_file);
    left -= static_cast<size_t>(put);
  }
  if (!file.ok() || fsync(file.get()) != 0)
    return Unavailable("cannot write the checkpoint " + options.checkpoint_file);
  return {};
}

__attribute__((noinline)) void WriteLog(double ms) {
  SleepUntilNs(NowNs() + static_cast<int64_t>(ms * 1e6));
}

void* MapTouched(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (size_t offset = 0; offset < bytes; offset += page_bytes)
    static_cast<volatile char*>(memory)[offset] = 1;
  return memory;
}

bool IsDue(int64_t step, int every) {
  return every > 0 && step % every == 0;
}

}  // namespace

Status PauseAfterStep(const PauseOptions& options, int64_t step) {
  if (IsDue(step, options.log_every)) WriteLog(options.log_ms);
  if (IsDue(step, options.checkpoint_every)) return SaveCheckpoint(options);
  return {};
}

void TouchFreshMemory(size_t bytes) {
  if (bytes == 0) return;
  void* memory = MapTouched(bytes);
  if (memory != nullptr) munmap(memory, bytes);
}

// Neighbours of different protection stay apart.
void KeepResident(int mappings, size_t bytes) {
  for (int i = 0; i < mappings; ++i) {
    const size_t size = bytes / static_cast<size_t>(mappings);
    void* memory = MapTouched(size);
    if (memory != nullptr && i % 2 == 1) mprotect(memory, size, PROT_READ);
  }
}

}  // namespace gpuwhy::simgpu
