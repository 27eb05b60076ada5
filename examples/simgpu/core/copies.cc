// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/copies.h"

#include <cstring>
#include <string_view>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/graphs.h"
#include "examples/simgpu/core/memory.h"
#include "examples/simgpu/core/settings.h"

namespace gpuwhy::simgpu {
namespace {

// Smaller ones are put into the command buffer: CUDA does not wait for the stream before.
constexpr size_t kInlineCopyBytes = size_t{64} << 10;

bool IsOnDevice(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kManaged;
}

void MoveBytes(const Copy& copy) {
  for (size_t row = 0; row < copy.height; ++row) {
    std::memmove(static_cast<char*>(copy.to) + row * copy.to_pitch_bytes,
                 static_cast<const char*>(copy.from) + row * copy.from_pitch_bytes,
                 copy.width_bytes);
  }
}

// The caller's part of a pageable copy: real bytes, and CPU time up to the configured rate.
void Stage(const Copy& copy) {
  const int64_t cost_ns = TransferNs(copy.bytes(), GetSettings().pageable_bytes_per_s);
  const int64_t end_cpu_ns = ThreadCpuNs() + cost_ns;
  MoveBytes(copy);
  BurnUntilCpuNs(end_cpu_ns);
}

Work TransferWork(const Copy& copy) {
  const Settings& settings = GetSettings();
  const bool from_device = IsOnDevice(KindOf(copy.from));
  const bool to_device = IsOnDevice(KindOf(copy.to));
  Work work{.engine = EngineKind::kCompute, .name = "memcpy d2d", .bytes = copy.bytes()};
  int64_t bytes_per_s = settings.device_bytes_per_s;
  if (!from_device) {
    work.engine = EngineKind::kH2D;
    work.name = "memcpy h2d";
    bytes_per_s = settings.h2d_bytes_per_s;
  } else if (!to_device) {
    work.engine = EngineKind::kD2H;
    work.name = "memcpy d2h";
    bytes_per_s = settings.d2h_bytes_per_s;
  }
  work.duration_ns = TransferNs(copy.bytes(), bytes_per_s);
  return work;
}

CUresult PageableToDevice(const Copy& copy, Stream& stream) {
  Device& device = Device::Get();
  if (copy.bytes() > kInlineCopyBytes) device.WaitFor(stream);
  Moves::Get().MakeAll();
  Stage(copy);
  Enqueue(stream, TransferWork(copy), nullptr);
  return CUDA_SUCCESS;
}

CUresult DeviceToPageable(const Copy& copy, Stream& stream) {
  Enqueue(stream, TransferWork(copy), nullptr);
  Device::Get().WaitFor(stream);
  Stage(copy);
  return CUDA_SUCCESS;
}

CUresult HostToHost(const Copy& copy, Stream& stream) {
  Device::Get().WaitFor(stream);
  Stage(copy);
  return CUDA_SUCCESS;
}

CUresult Submit(const Copy& copy, Stream& stream) {
  Enqueue(stream, TransferWork(copy), [copy] { MoveBytes(copy); });
  return CUDA_SUCCESS;
}

bool IsSane(const Copy& copy) {
  return copy.to != nullptr && copy.from != nullptr && copy.to_pitch_bytes >= copy.width_bytes &&
         copy.from_pitch_bytes >= copy.width_bytes;
}

}  // namespace

const char* CopyKind(const void* to, const void* from) {
  const MemoryKind to_kind = KindOf(to);
  const MemoryKind from_kind = KindOf(from);
  if (IsOnDevice(to_kind) && IsOnDevice(from_kind)) return "d2d";
  if (IsOnDevice(to_kind)) return from_kind == MemoryKind::kPinned ? "h2d_pinned" : "h2d_pageable";
  if (!IsOnDevice(from_kind)) return "h2h";
  return to_kind == MemoryKind::kPinned ? "d2h_pinned" : "d2h_pageable";
}

bool FitsDirection(const Copy& copy, cudaMemcpyKind direction) {
  const bool from_device = IsOnDevice(KindOf(copy.from));
  const bool to_device = IsOnDevice(KindOf(copy.to));
  switch (direction) {
    case cudaMemcpyHostToHost:
      return !from_device && !to_device;
    case cudaMemcpyHostToDevice:
      return to_device && !from_device;
    case cudaMemcpyDeviceToHost:
      return from_device && !to_device;
    case cudaMemcpyDeviceToDevice:
      return from_device && to_device;
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

CUresult CopyAsync(const Copy& copy, Stream& stream) {
  if (copy.bytes() == 0) return CUDA_SUCCESS;
  if (!IsSane(copy)) return CUDA_ERROR_INVALID_VALUE;
  const std::string_view kind = CopyKind(copy.to, copy.from);
  if (stream.capture != nullptr && kind != "h2h") return Submit(copy, stream);
  BurnCpuNs(GetSettings().launch_ns);
  if (kind == "h2d_pageable") return PageableToDevice(copy, stream);
  if (kind == "d2h_pageable") return DeviceToPageable(copy, stream);
  if (kind == "h2h") return HostToHost(copy, stream);
  return Submit(copy, stream);
}

CUresult CopyAndWait(const Copy& copy) {
  if (const CUresult code = RefuseInCapture(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)) return code;
  Stream& stream = Device::Get().legacy();
  const CUresult code = CopyAsync(copy, stream);
  const std::string_view kind = CopyKind(copy.to, copy.from);
  if (code == CUDA_SUCCESS && (kind == "h2d_pinned" || kind == "d2h_pinned"))
    Device::Get().WaitFor(stream);
  return code;
}

CUresult FillAsync(void* memory, int value, size_t bytes, Stream& stream) {
  if (bytes == 0) return CUDA_SUCCESS;
  if (!IsOnDevice(KindOf(memory)) && KindOf(memory) != MemoryKind::kPinned)
    return CUDA_ERROR_INVALID_VALUE;
  BurnCpuNs(GetSettings().launch_ns);
  const Work work{.engine = EngineKind::kCompute,
                  .duration_ns = TransferNs(bytes, GetSettings().device_bytes_per_s),
                  .name = "memset",
                  .bytes = bytes};
  Enqueue(stream, work, [memory, value, bytes] { std::memset(memory, value, bytes); });
  return CUDA_SUCCESS;
}

CUresult FillAndWait(void* memory, int value, size_t bytes) {
  if (const CUresult code = RefuseInCapture(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)) return code;
  Stream& stream = Device::Get().legacy();
  const CUresult code = FillAsync(memory, value, bytes, stream);
  if (code == CUDA_SUCCESS && KindOf(memory) != MemoryKind::kDevice) Device::Get().WaitFor(stream);
  return code;
}

}  // namespace gpuwhy::simgpu
