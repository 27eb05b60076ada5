// SPDX-License-Identifier: Apache-2.0
// Memory as CUDA sees it: device and managed memory (which is host memory here), pinned host
// memory, and all else, which is pageable. Any thread.
#pragma once

#include <cstddef>

#include "examples/simgpu/core/visibility.h"
#include "examples/simgpu/cuda_abi.h"

namespace gpuwhy::simgpu {

struct Stream;

enum class MemoryKind { kPageable, kPinned, kDevice, kManaged };

SIMGPU_SHARED MemoryKind KindOf(const void* pointer);

// kDevice or kManaged; under the driver lock. Freeing waits for the device first.
SIMGPU_SHARED CUresult AllocateDevice(MemoryKind kind, size_t bytes, void** pointer);
SIMGPU_SHARED CUresult FreeDevice(void* pointer);
// Of the stream's pool: no driver lock, no waiting.
SIMGPU_SHARED CUresult AllocateFromPool(size_t bytes, void** pointer);
SIMGPU_SHARED CUresult FreeToPool(Stream& stream, void* pointer);

// Pinning touches and counts every page, under the driver lock.
SIMGPU_SHARED CUresult AllocatePinned(size_t bytes, void** pointer);
SIMGPU_SHARED CUresult FreePinned(void* pointer);
SIMGPU_SHARED CUresult Register(void* pointer, size_t bytes);
SIMGPU_SHARED CUresult Unregister(void* pointer);

}  // namespace gpuwhy::simgpu
