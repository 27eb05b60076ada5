// SPDX-License-Identifier: Apache-2.0
#include "collectors/ingero/ops.h"

#include <array>

namespace gpuwhy::ingero {
namespace {

constexpr int64_t kIo = 5;
constexpr int64_t kTcp = 6;
constexpr int64_t kNet = 7;
constexpr int64_t kSectorBytes = 512;
constexpr auto kApi = Becomes::kApiCall;
constexpr auto kEvent = Becomes::kHostEvent;

// cudaFree's argument 1 is the size of the freed block where its allocation was seen. The 2D
// copies' argument 0 is the width of a row, not the size of the copy.
constexpr std::array kOps = {
    Op{kRuntime, 1, kApi, "cudaMalloc", Bytes::kArg0},
    Op{kRuntime, 2, kApi, "cudaFree", Bytes::kArg1},
    Op{kRuntime, 3, kApi, "cudaLaunchKernel"},
    Op{kRuntime, 4, kApi, "cudaMemcpy", Bytes::kArg0},
    Op{kRuntime, 5, kApi, "cudaStreamSync"},
    Op{kRuntime, 6, kApi, "cudaDeviceSync"},
    Op{kRuntime, 7, kApi, "cudaMemcpyAsync", Bytes::kArg0},
    Op{kRuntime, 8, kApi, "cudaMallocManaged", Bytes::kArg0},
    Op{kRuntime, 9, kApi, "cudaMemcpy2D"},
    Op{kRuntime, 10, kApi, "cudaMemcpy2DAsync"},
    Op{kRuntime, 11, kApi, "cudaMemcpyPeer", Bytes::kArg0},
    Op{kRuntime, 12, kApi, "cudaMemcpyPeerAsync", Bytes::kArg0},
    Op{kHost, kSchedSwitch, Becomes::kOffCpu, "unknown", Bytes::kNone, true},
    Op{kHost, kSchedWakeup, kEvent, "wakeup"},
    Op{kHost, 3, kEvent, "page_alloc", Bytes::kArg0},
    Op{kHost, kOomKill, kEvent, "oom_kill"},
    Op{kHost, kProcessExec, kEvent, "exec"},
    Op{kHost, kProcessExit, kEvent, "exit"},
    Op{kHost, kProcessFork, kEvent, "fork"},
    Op{kHost, 10, kEvent, "other", Bytes::kNone, false, "pod_restart"},
    Op{kHost, 11, kEvent, "other", Bytes::kNone, false, "pod_eviction"},
    Op{kHost, 12, kEvent, "oom_kill", Bytes::kNone, false, "pod_oom_kill"},
    Op{kHost, kPageAllocSummary, Becomes::kSummary, "page_alloc"},
    Op{kHost, kSwitchSummary, Becomes::kSummary, "unknown"},
    Op{kDriver, 1, kApi, "cuLaunchKernel"},
    Op{kDriver, 2, kApi, "cuMemcpy", Bytes::kArg0},
    Op{kDriver, 3, kApi, "cuMemcpyAsync", Bytes::kArg0},
    Op{kDriver, 4, kApi, "cuCtxSynchronize"},
    Op{kDriver, 5, kApi, "cuMemAlloc", Bytes::kArg0},
    Op{kDriver, 6, kApi, "cuMemAllocManaged", Bytes::kArg0},
    Op{kIo, 1, kEvent, "block_read", Bytes::kSectors, true},
    Op{kIo, 2, kEvent, "block_write", Bytes::kSectors, true},
    Op{kIo, 3, kEvent, "block_discard", Bytes::kSectors, true},
    Op{kTcp, 1, kEvent, "tcp_retransmit"},
    Op{kNet, 1, kEvent, "net_send", Bytes::kArg1, true},
    Op{kNet, 2, kEvent, "net_recv", Bytes::kArg1, true},
    Op{kGraph, 1, kApi, "cudaStreamBeginCapture"},
    Op{kGraph, 2, kApi, "cudaStreamEndCapture"},
    Op{kGraph, 3, kApi, "cudaGraphInstantiate"},
    Op{kGraph, 4, kApi, "cudaGraphLaunch"},
    Op{kGraph, 5, kApi, "cudaGraphDestroy"},
    Op{kGraph, 6, kApi, "cudaGraphExecUpdate"},
    Op{kGraph, 7, kApi, "cudaGraphExecDestroy"},
};

constexpr std::array<std::string_view, 9> kSourceNames = {
    "", "CUDA", "NVIDIA", "HOST", "DRIVER", "IO", "TCP", "NET", "CUDA_GRAPH"};

}  // namespace

const Op* FindOp(int64_t source, int64_t op) {
  for (const Op& candidate : kOps) {
    if (candidate.source == source && candidate.op == op) return &candidate;
  }
  return nullptr;
}

std::string_view SourceName(int64_t source) {
  const bool is_known = source > 0 && source < static_cast<int64_t>(kSourceNames.size());
  return is_known ? kSourceNames.at(static_cast<size_t>(source)) : "source";
}

int64_t BytesOf(const Op& op, int64_t arg0, int64_t arg1) {
  switch (op.bytes) {
    case Bytes::kNone:
      return 0;
    case Bytes::kArg0:
      return arg0;
    case Bytes::kArg1:
      return arg1;
    case Bytes::kSectors:
      return arg0 > INT64_MAX / kSectorBytes ? 0 : arg0 * kSectorBytes;
  }
  return 0;
}

}  // namespace gpuwhy::ingero
