// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/device.h"
#include "examples/simgpu/core/driver_lock.h"
#include "examples/simgpu/core/moves.h"
#include "examples/simgpu/core/ranges.h"
#include "examples/simgpu/core/settings.h"

namespace gpuwhy::simgpu {
namespace {

std::atomic<int64_t> device_bytes_in_use{0};

bool IsOnDevice(const Range& range) {
  return range.kind == MemoryKind::kDevice || range.kind == MemoryKind::kManaged;
}

// Pages come into being when they are touched, unless `flags` says otherwise.
CUresult Map(const Range& range, int flags, void** pointer) {
  void* memory = mmap(nullptr, range.bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (memory == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  Ranges::Get().Add(memory, range);
  *pointer = memory;
  return CUDA_SUCCESS;
}

CUresult MapOnDevice(const Range& range, void** pointer) {
  if (pointer == nullptr || range.bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto bytes = static_cast<int64_t>(range.bytes);
  if (bytes > GetSettings().memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  if (device_bytes_in_use.fetch_add(bytes) + bytes <= GetSettings().memory_bytes) {
    const CUresult code = Map(range, 0, pointer);
    if (code == CUDA_SUCCESS) return code;
  }
  device_bytes_in_use.fetch_sub(bytes);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

void UnmapFromDevice(void* pointer, size_t bytes) {
  munmap(pointer, bytes);
  device_bytes_in_use.fetch_sub(static_cast<int64_t>(bytes));
}

int64_t PinNs(size_t bytes) {
  return TransferNs(bytes, GetSettings().pin_bytes_per_s);
}

// Reading brings a page in and changes nothing.
void TouchPages(const void* pointer, size_t bytes) {
  const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const volatile char* memory = static_cast<const volatile char*>(pointer);
  for (size_t offset = 0; offset < bytes; offset += page_bytes)
    (void)memory[offset];
}

}  // namespace

MemoryKind KindOf(const void* pointer) {
  return Ranges::Get().Find(pointer).value_or(Range{}).kind;
}

CUresult AllocateDevice(MemoryKind kind, size_t bytes, void** pointer) {
  const DriverLock lock;
  BurnCpuNs(GetSettings().malloc_ns);
  return MapOnDevice({.bytes = bytes, .kind = kind}, pointer);
}

CUresult FreeDevice(void* pointer) {
  if (pointer == nullptr) return CUDA_SUCCESS;
  const DriverLock lock;
  Device::Get().WaitForAll();
  const auto range = Ranges::Get().Remove(pointer, IsOnDevice);
  if (!range) return CUDA_ERROR_INVALID_VALUE;
  BurnCpuNs(GetSettings().free_ns);
  UnmapFromDevice(pointer, range->bytes);
  return CUDA_SUCCESS;
}

CUresult AllocateFromPool(size_t bytes, void** pointer) {
  BurnCpuNs(GetSettings().pool_ns);
  return MapOnDevice({.bytes = bytes, .kind = MemoryKind::kDevice}, pointer);
}

// Later than the copies that were submitted before: they may still touch it.
CUresult FreeToPool(Stream& stream, void* pointer) {
  const auto range = Ranges::Get().Remove(pointer, IsOnDevice);
  if (!range) return CUDA_ERROR_INVALID_VALUE;
  BurnCpuNs(GetSettings().pool_ns);
  Device::Get().Submit(stream, {});
  Moves::Get().Add([pointer, bytes = range->bytes] { UnmapFromDevice(pointer, bytes); });
  return CUDA_SUCCESS;
}

CUresult AllocatePinned(size_t bytes, void** pointer) {
  if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const DriverLock lock;
  const int64_t end_cpu_ns = ThreadCpuNs() + PinNs(bytes);
  const CUresult code = Map({.bytes = bytes, .kind = MemoryKind::kPinned}, MAP_POPULATE, pointer);
  BurnUntilCpuNs(end_cpu_ns);
  return code;
}

CUresult FreePinned(void* pointer) {
  const DriverLock lock;
  Device::Get().WaitForAll();
  const auto range = Ranges::Get().Remove(pointer, [](const Range& candidate) {
    return candidate.kind == MemoryKind::kPinned && !candidate.is_registered;
  });
  if (!range) return CUDA_ERROR_INVALID_VALUE;
  munmap(pointer, range->bytes);
  return CUDA_SUCCESS;
}

CUresult Register(void* pointer, size_t bytes) {
  if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const Range range{.bytes = bytes, .kind = MemoryKind::kPinned, .is_registered = true};
  if (!Ranges::Get().Add(pointer, range)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  const DriverLock lock;
  const int64_t end_cpu_ns = ThreadCpuNs() + PinNs(bytes);
  TouchPages(pointer, bytes);
  BurnUntilCpuNs(end_cpu_ns);
  return CUDA_SUCCESS;
}

CUresult Unregister(void* pointer) {
  const DriverLock lock;
  Device::Get().WaitForAll();
  const auto range =
      Ranges::Get().Remove(pointer, [](const Range& candidate) { return candidate.is_registered; });
  return range ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

}  // namespace gpuwhy::simgpu
