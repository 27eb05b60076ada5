// SPDX-License-Identifier: Apache-2.0
// libnccl.so.2: what data-parallel workloads need. A rank is a process; the times are those of the
// real thing, the values are not: nothing is reduced or sent.
#include <sys/random.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/handles.h"
#include "examples/simgpu/core/log.h"
#include "examples/simgpu/core/settings.h"
#include "examples/simgpu/core/streams.h"
#include "examples/simgpu/nccl/communicator.h"
#include "examples/simgpu/nccl/libnccl.h"
#include "examples/simgpu/runtime/libcudart.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

namespace {

Handles<Communicator>& Communicators() {
  static auto& communicators = *new Handles<Communicator>();
  return communicators;
}

// A group of the calling thread: its operations are submitted side by side at its end.
struct Grouped {
  std::shared_ptr<Communicator> communicator;
  Collective collective;
  StreamRef stream;
};
thread_local int group_depth = 0;
thread_local std::vector<Grouped> group;

size_t TypeBytes(ncclDataType_t type) {
  constexpr size_t kBytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  const bool is_known = type >= 0 && static_cast<size_t>(type) < std::size(kBytes);
  return is_known ? kBytes[type] : 0;
}

void SubmitGroup() {
  std::vector<OpRef> members;
  for (const Grouped& entry : group)
    members.push_back(entry.communicator->Submit(entry.collective, *entry.stream, true));
  for (const Grouped& entry : group)
    Device::Get().Submit(*entry.stream, {}, members);
  group.clear();
}

ncclResult_t Submit(const std::shared_ptr<Communicator>& communicator, const Collective& asked,
                    const StreamRef& stream) {
  if (group_depth > 0) {
    group.push_back({.communicator = communicator, .collective = asked, .stream = stream});
    return ncclSuccess;
  }
  BurnCpuNs(GetSettings().launch_ns);
  communicator->Submit(asked, *stream, false);
  return ncclSuccess;
}

struct Request {
  size_t count;
  ncclDataType_t type;
  ncclComm_t comm;
  cudaStream_t stream;
};

// `fill` adds what depends on the communicator; false where the arguments do not fit it.
template <typename Fill>
ncclResult_t Call(const char* name, const Request& request, const Fill& fill) {
  const size_t bytes = request.count * TypeBytes(request.type);
  const CallFacts facts{.bytes = bytes, .kind = "collective", .stream = request.stream};
  return Logged(name, facts, [&] {
    const auto communicator = Communicators().Find(request.comm);
    const StreamRef stream = FindStream(request.stream);
    if (communicator == nullptr || stream == nullptr || TypeBytes(request.type) == 0)
      return ncclInvalidArgument;
    Collective asked{.name = name, .bytes = bytes};
    if (!fill(*communicator, asked)) return ncclInvalidArgument;
    return Submit(communicator, asked, stream);
  });
}

// The part of the other ranks passes over each link: once to gather, twice to reduce everywhere.
bool PassOtherParts(const Communicator& communicator, double times, Collective& asked) {
  asked.traffic = times * (communicator.rank_count() - 1) / communicator.rank_count();
  return true;
}

bool IsPeer(const Communicator& communicator, int peer) {
  return peer >= 0 && peer < communicator.rank_count() && peer != communicator.rank();
}

ncclResult_t Join(ncclComm_t* comm, int rank_count, const ncclUniqueId& id, int rank) {
  if (comm == nullptr || rank_count < 1 || rank_count > kMostRanks || rank < 0 ||
      rank >= rank_count)
    return ncclInvalidArgument;
  if (cudaFree(nullptr) != cudaSuccess) return ncclUnhandledCudaError;
  auto rendezvous = Rendezvous::Join(id.internal, rank_count);
  if (rendezvous == nullptr) return ncclSystemError;
  const auto made = std::make_shared<Communicator>(std::move(rendezvous), rank, rank_count);
  Communicators().Add(made);
  *comm = reinterpret_cast<ncclComm_t>(made.get());
  return ncclSuccess;
}

}  // namespace

// The name of the shared memory is the id.
SIMGPU_API ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return Logged("ncclGetUniqueId", {}, [id] {
    uint64_t number = 0;
    if (id == nullptr) return ncclInvalidArgument;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return ncclSystemError;
    const std::string name = "/simgpu-nccl-" + std::to_string(number);
    *id = {};
    std::memcpy(id->internal, name.c_str(), name.size());
    return ncclSuccess;
  });
}

SIMGPU_API ncclResult_t ncclCommInitRank(ncclComm_t* comm, int rank_count, ncclUniqueId id,
                                         int rank) {
  return Logged("ncclCommInitRank", {}, [&] { return Join(comm, rank_count, id, rank); });
}

SIMGPU_API ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return Logged("ncclCommDestroy", {}, [comm] {
    return Communicators().Remove(comm) == nullptr ? ncclInvalidArgument : ncclSuccess;
  });
}

SIMGPU_API ncclResult_t ncclAllReduce(const void*, void*, size_t count, ncclDataType_t type,
                                      ncclRedOp_t, ncclComm_t comm, cudaStream_t stream) {
  return Call("ncclAllReduce", {count, type, comm, stream},
              [](const auto& ranks, auto& asked) { return PassOtherParts(ranks, 2, asked); });
}

// Counts are those of one rank here: the whole is as many times as large.
SIMGPU_API ncclResult_t ncclAllGather(const void*, void*, size_t count, ncclDataType_t type,
                                      ncclComm_t comm, cudaStream_t stream) {
  return Call("ncclAllGather", {count, type, comm, stream}, [](const auto& ranks, auto& asked) {
    return PassOtherParts(ranks, ranks.rank_count(), asked);
  });
}

SIMGPU_API ncclResult_t ncclReduceScatter(const void*, void*, size_t count, ncclDataType_t type,
                                          ncclRedOp_t, ncclComm_t comm, cudaStream_t stream) {
  return Call("ncclReduceScatter", {count, type, comm, stream}, [](const auto& ranks, auto& asked) {
    return PassOtherParts(ranks, ranks.rank_count(), asked);
  });
}

SIMGPU_API ncclResult_t ncclBroadcast(const void*, void*, size_t count, ncclDataType_t type,
                                      int root, ncclComm_t comm, cudaStream_t stream) {
  return Call("ncclBroadcast", {count, type, comm, stream},
              [root](const auto& ranks, auto&) { return root >= 0 && root < ranks.rank_count(); });
}

SIMGPU_API ncclResult_t ncclSend(const void*, size_t count, ncclDataType_t type, int peer,
                                 ncclComm_t comm, cudaStream_t stream) {
  return Call("ncclSend", {count, type, comm, stream}, [peer](const auto& ranks, auto& asked) {
    asked.peer_from = ranks.rank();
    asked.peer_to = peer;
    return IsPeer(ranks, peer);
  });
}

SIMGPU_API ncclResult_t ncclRecv(void*, size_t count, ncclDataType_t type, int peer,
                                 ncclComm_t comm, cudaStream_t stream) {
  return Call("ncclRecv", {count, type, comm, stream}, [peer](const auto& ranks, auto& asked) {
    asked.peer_from = peer;
    asked.peer_to = ranks.rank();
    return IsPeer(ranks, peer);
  });
}

SIMGPU_API ncclResult_t ncclGroupStart() {
  return Logged("ncclGroupStart", {}, [] {
    ++group_depth;
    return ncclSuccess;
  });
}

SIMGPU_API ncclResult_t ncclGroupEnd() {
  return Logged("ncclGroupEnd", {}, [] {
    if (group_depth == 0) return ncclInvalidUsage;
    if (--group_depth == 0 && !group.empty()) {
      BurnCpuNs(GetSettings().launch_ns);
      SubmitGroup();
    }
    return ncclSuccess;
  });
}
