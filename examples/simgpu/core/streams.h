// SPDX-License-Identifier: Apache-2.0
// Streams and events behind their handles. Any thread.
#pragma once

#include "examples/simgpu/core/device.h"
#include "examples/simgpu/core/visibility.h"
#include "examples/simgpu/cuda_abi.h"

namespace gpuwhy::simgpu {

// 0 and 1 are the legacy default stream, 2 is the calling thread's own; null for no stream.
SIMGPU_SHARED StreamRef FindStream(CUstream handle);

// `use` with the stream of the handle; an error where there is none.
template <typename Use>
CUresult WithStream(CUstream handle, const Use& use) {
  const StreamRef stream = FindStream(handle);
  return stream == nullptr ? CUDA_ERROR_INVALID_HANDLE : use(*stream);
}

SIMGPU_SHARED CUresult CreateStream(unsigned flags, CUstream* handle);
SIMGPU_SHARED CUresult DestroyStream(CUstream handle);
SIMGPU_SHARED CUresult SyncStream(const Stream& stream);
SIMGPU_SHARED CUresult QueryStream(const Stream& stream);
SIMGPU_SHARED CUresult SyncDevice();

SIMGPU_SHARED CUresult CreateEvent(unsigned flags, CUevent* handle);
SIMGPU_SHARED CUresult DestroyEvent(CUevent handle);
SIMGPU_SHARED CUresult RecordEvent(CUevent handle, Stream& stream);
SIMGPU_SHARED CUresult WaitEvent(Stream& stream, CUevent handle);
SIMGPU_SHARED CUresult SyncEvent(CUevent handle);
SIMGPU_SHARED CUresult QueryEvent(CUevent handle);
SIMGPU_SHARED CUresult ElapsedTime(float* ms, CUevent start, CUevent end);

}  // namespace gpuwhy::simgpu
