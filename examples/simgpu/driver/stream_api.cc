// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1: streams and events.
#include "examples/simgpu/driver/driver_call.h"
#include "examples/simgpu/driver/libcuda.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

SIMGPU_API CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return DriverCall("cuStreamCreate", {}, [=] { return CreateStream(flags, stream); });
}

SIMGPU_API CUresult cuStreamDestroy_v2(CUstream stream) {
  return DriverCall("cuStreamDestroy_v2", {.stream = stream},
                    [=] { return DestroyStream(stream); });
}

SIMGPU_API CUresult cuStreamSynchronize(CUstream stream) {
  return StreamCall("cuStreamSynchronize", {}, stream, SyncStream);
}

SIMGPU_API CUresult cuStreamSynchronize_ptsz(CUstream stream) {
  return StreamCall("cuStreamSynchronize_ptsz", {}, OrPerThread(stream), SyncStream);
}

SIMGPU_API CUresult cuStreamQuery(CUstream stream) {
  return StreamCall("cuStreamQuery", {}, stream, QueryStream);
}

SIMGPU_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return StreamCall("cuStreamWaitEvent", {}, stream,
                    [=](Stream& on) { return WaitEvent(on, event); });
}

SIMGPU_API CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return DriverCall("cuEventCreate", {}, [=] { return CreateEvent(flags, event); });
}

SIMGPU_API CUresult cuEventDestroy_v2(CUevent event) {
  return DriverCall("cuEventDestroy_v2", {}, [=] { return DestroyEvent(event); });
}

SIMGPU_API CUresult cuEventRecord(CUevent event, CUstream stream) {
  return StreamCall("cuEventRecord", {}, stream,
                    [=](Stream& on) { return RecordEvent(event, on); });
}

SIMGPU_API CUresult cuEventSynchronize(CUevent event) {
  return DriverCall("cuEventSynchronize", {}, [=] { return SyncEvent(event); });
}

SIMGPU_API CUresult cuEventQuery(CUevent event) {
  return DriverCall("cuEventQuery", {}, [=] { return QueryEvent(event); });
}

SIMGPU_API CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent end) {
  return DriverCall("cuEventElapsedTime", {}, [=] { return ElapsedTime(ms, start, end); });
}
