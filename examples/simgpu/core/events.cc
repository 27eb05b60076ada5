// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/graphs.h"
#include "examples/simgpu/core/handles.h"
#include "examples/simgpu/core/streams.h"

namespace gpuwhy::simgpu {
namespace {

// An event that was never recorded counts as complete.
struct Event {
  std::mutex mutex;
  OpRef marker;
  bool has_timing = true;

  OpRef Marker() {
    const std::lock_guard lock(mutex);
    return marker;
  }
};

Handles<Event>& Events() {
  static auto& events = *new Handles<Event>();
  return events;
}

template <typename Use>
CUresult WithEvent(CUevent handle, const Use& use) {
  const auto event = Events().Find(handle);
  return event == nullptr ? CUDA_ERROR_INVALID_HANDLE : use(*event);
}

CUresult MarkerOf(CUevent handle, OpRef& marker) {
  return WithEvent(handle, [&marker](Event& event) {
    marker = event.Marker();
    if (marker == nullptr || !event.has_timing) return CUDA_ERROR_INVALID_HANDLE;
    return Device::Get().IsDone(marker) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

}  // namespace

CUresult CreateEvent(unsigned flags, CUevent* handle) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto event = std::make_shared<Event>();
  event->has_timing = (flags & kEventDisableTiming) == 0;
  Events().Add(event);
  *handle = reinterpret_cast<CUevent>(event.get());
  return CUDA_SUCCESS;
}

CUresult DestroyEvent(CUevent handle) {
  return Events().Remove(handle) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult RecordEvent(CUevent handle, Stream& stream) {
  if (const CUresult code = RefuseOnCaptured(stream)) return code;
  return WithEvent(handle, [&stream](Event& event) {
    const std::lock_guard lock(event.mutex);
    event.marker = Device::Get().Submit(stream, {});
    return CUDA_SUCCESS;
  });
}

CUresult WaitEvent(Stream& stream, CUevent handle) {
  if (const CUresult code = RefuseOnCaptured(stream)) return code;
  return WithEvent(handle, [&stream](Event& event) {
    Device::Get().Submit(stream, {}, {event.Marker()});
    return CUDA_SUCCESS;
  });
}

CUresult SyncEvent(CUevent handle) {
  return WithEvent(handle, [](Event& event) {
    Device::Get().WaitFor(event.Marker());
    return CUDA_SUCCESS;
  });
}

CUresult QueryEvent(CUevent handle) {
  return WithEvent(handle, [](Event& event) {
    return Device::Get().IsDone(event.Marker()) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

CUresult ElapsedTime(float* ms, CUevent start, CUevent end) {
  if (ms == nullptr) return CUDA_ERROR_INVALID_VALUE;
  OpRef first;
  OpRef last;
  if (const CUresult code = MarkerOf(start, first)) return code;
  if (const CUresult code = MarkerOf(end, last)) return code;
  const int64_t ns = Device::Get().EndOf(last) - Device::Get().EndOf(first);
  *ms = static_cast<float>(static_cast<double>(ns) / 1e6);
  return CUDA_SUCCESS;
}

}  // namespace gpuwhy::simgpu
