// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/streams.h"

#include "examples/simgpu/core/graphs.h"
#include "examples/simgpu/core/handles.h"

namespace gpuwhy::simgpu {
namespace {

Handles<Stream>& Streams() {
  static auto& streams = *new Handles<Stream>();
  return streams;
}

// The device keeps it until its work has ended.
struct ThreadStream {
  StreamRef stream =
      Device::Get().AddStream(reinterpret_cast<const void*>(kPerThreadStreamHandle), true);
  ~ThreadStream() { Device::Get().CloseStream(stream); }
};

StreamRef OwnStream() {
  static thread_local ThreadStream own;
  return own.stream;
}

// Without a deleter: the device owns it.
StreamRef LegacyStream() {
  return {StreamRef(), &Device::Get().legacy()};
}

}  // namespace

StreamRef FindStream(CUstream handle) {
  const auto value = reinterpret_cast<uintptr_t>(handle);
  if (value <= kLegacyStreamHandle) return LegacyStream();
  if (value == kPerThreadStreamHandle) return OwnStream();
  return Streams().Find(handle);
}

CUresult CreateStream(unsigned flags, CUstream* handle) {
  if (handle == nullptr || flags > kStreamNonBlocking) return CUDA_ERROR_INVALID_VALUE;
  const StreamRef stream = Device::Get().AddStream(nullptr, flags != kStreamNonBlocking);
  Streams().Add(stream);
  *handle = reinterpret_cast<CUstream>(stream.get());
  return CUDA_SUCCESS;
}

CUresult DestroyStream(CUstream handle) {
  const StreamRef stream = Streams().Remove(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Device::Get().CloseStream(stream);
  return CUDA_SUCCESS;
}

CUresult SyncStream(const Stream& stream) {
  if (const CUresult code = RefuseOnCaptured(stream)) return code;
  Device::Get().WaitFor(stream);
  return CUDA_SUCCESS;
}

CUresult QueryStream(const Stream& stream) {
  if (const CUresult code = RefuseOnCaptured(stream)) return code;
  return Device::Get().IsDone(stream) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult SyncDevice() {
  if (const CUresult code = RefuseInCapture()) return code;
  Device::Get().WaitForAll();
  return CUDA_SUCCESS;
}

}  // namespace gpuwhy::simgpu
