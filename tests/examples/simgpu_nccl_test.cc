// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <functional>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/nccl/libnccl.h"
#include "tests/catch.h"
#include "tests/examples/sim_calls.h"
#include "tests/examples/sim_process.h"

namespace gpuwhy {
namespace {

constexpr ncclDataType_t kFloat32 = 7;
using RankBody = std::function<Numbers(ncclComm_t, cudaStream_t)>;

// From a process of its own, as every call.
ncclUniqueId NewId() {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    Numbers id(sizeof(ncclUniqueId) / sizeof(int64_t));
    ncclGetUniqueId(reinterpret_cast<ncclUniqueId*>(id.data()));
    return id;
  });
  REQUIRE(numbers.size() * sizeof(int64_t) == sizeof(ncclUniqueId));
  ncclUniqueId id{};
  std::memcpy(&id, numbers.data(), sizeof id);
  REQUIRE(id.internal[0] == '/');
  return id;
}

std::function<Numbers()> Rank(const ncclUniqueId& id, int rank, const RankBody& body) {
  return [=]() -> Numbers {
    ncclComm_t comm = nullptr;
    if (const auto code = ncclCommInitRank(&comm, 2, id, rank); code != ncclSuccess) return {code};
    cudaStream_t stream = MakeStream();
    const Numbers numbers = body(comm, stream);
    cudaStreamSynchronize(stream);
    ncclCommDestroy(comm);
    return numbers;
  };
}

}  // namespace

TEST_CASE("simgpu: a collective ends on all ranks when the last has come and the bytes are over",
          "[simgpu]") {
  const ncclUniqueId id = NewId();
  const auto body = [](double late_ms) {
    return [late_ms](ncclComm_t comm, cudaStream_t stream) -> Numbers {
      simgpu::BurnCpuNs(static_cast<int64_t>(late_ms * 1e6));
      ncclAllReduce(nullptr, nullptr, 1000, kFloat32, 0, comm, stream);
      return {LaunchOn(stream, "after", kSimMs)};
    };
  };
  const Environment slow_link{{"SIMGPU_LINK_BYTES_PER_S", "1000000"}};
  SimProcess early(Rank(id, 0, body(0)), slow_link);
  SimProcess late(Rank(id, 1, body(30)), slow_link);
  const auto early_truth = early.Wait().truth;
  const auto late_truth = late.Wait().truth;
  const TrueOp at_early = early_truth.OpOf("ncclAllReduce");
  const TrueOp at_late = late_truth.OpOf("ncclAllReduce");

  CHECK(at_early.end_ns == at_late.end_ns);
  CHECK(at_early.end_ns == std::max(at_early.start_ns, at_late.start_ns) + 4'000'000);
  CHECK(early_truth.OpOf("after").start_ns == at_early.end_ns);
  CHECK(early_truth.CallOf("cudaStreamSynchronize").exit_ns >= early_truth.OpOf("after").end_ns);
}

TEST_CASE("simgpu: many collectives in a row meet in order", "[simgpu]") {
  const ncclUniqueId id = NewId();
  const RankBody body = [](ncclComm_t comm, cudaStream_t stream) -> Numbers {
    for (int i = 0; i < 50; ++i)
      ncclAllGather(nullptr, nullptr, 1, kFloat32, comm, stream);
    return {};
  };
  SimProcess first(Rank(id, 0, body));
  SimProcess second(Rank(id, 1, body));
  const auto first_ops = first.Wait().truth.ops;
  const auto second_ops = second.Wait().truth.ops;

  REQUIRE(first_ops.size() == 50);
  REQUIRE(second_ops.size() == 50);
  for (size_t i = 0; i < 50; ++i)
    CHECK(first_ops[i].end_ns == second_ops[i].end_ns);
}

TEST_CASE("simgpu: a group of sends and receives does not wait for itself", "[simgpu]") {
  const ncclUniqueId id = NewId();
  const auto exchange = [](int peer) -> RankBody {
    return [peer](ncclComm_t comm, cudaStream_t stream) -> Numbers {
      ncclGroupStart();
      ncclSend(nullptr, 10, kFloat32, peer, comm, stream);
      ncclRecv(nullptr, 10, kFloat32, peer, comm, stream);
      const int64_t ended = ncclGroupEnd();
      return {ended, LaunchOn(stream, "after", 1)};
    };
  };
  SimProcess first(Rank(id, 0, exchange(1)));
  SimProcess second(Rank(id, 1, exchange(0)));
  const auto first_outcome = first.Wait();
  const auto second_outcome = second.Wait();

  CHECK(first_outcome.numbers == Numbers{ncclSuccess, cudaSuccess});
  CHECK(first_outcome.truth.OpOf("ncclSend").end_ns ==
        second_outcome.truth.OpOf("ncclRecv").end_ns);
  CHECK(first_outcome.truth.OpOf("after").start_ns >= first_outcome.truth.OpOf("ncclRecv").end_ns);
}

TEST_CASE("simgpu: arguments that fit no communicator are refused", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    ncclComm_t comm = nullptr;
    return {ncclCommInitRank(&comm, 2, {}, 2), ncclGroupEnd(), ncclCommDestroy(nullptr),
            ncclBroadcast(nullptr, nullptr, 1, kFloat32, 0, comm, nullptr)};
  });

  CHECK(numbers ==
        Numbers{ncclInvalidArgument, ncclInvalidUsage, ncclInvalidArgument, ncclInvalidArgument});
}

}  // namespace gpuwhy
