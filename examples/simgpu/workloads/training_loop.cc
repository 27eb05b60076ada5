// SPDX-License-Identifier: Apache-2.0
// A training loop in C++ on the simulated GPU: takes batches from loader processes, copies them in,
// launches kernels. See --help and README.md.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <vector>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/nccl/libnccl.h"
#include "examples/simgpu/runtime/libcudart.h"
#include "examples/simgpu/workloads/check.h"
#include "examples/simgpu/workloads/input.h"
#include "examples/simgpu/workloads/kernels.h"
#include "examples/simgpu/workloads/loader.h"
#include "examples/simgpu/workloads/pauses.h"

namespace gpuwhy::simgpu {
namespace {

constexpr ncclDataType_t kFloat32 = 7;
constexpr ncclRedOp_t kSum = 0;

// The gradients of the other ranks. Nothing with a single rank.
class Reduction {
 public:
  Reduction(const Options& options, const ncclUniqueId& id, int rank)
      : count_(options.step.allreduce_bytes / sizeof(float)) {
    if (options.ranks > 1) SIMGPU_CHECK(ncclCommInitRank(&comm_, options.ranks, id, rank));
  }
  ~Reduction() {
    if (comm_ != nullptr) ncclCommDestroy(comm_);
  }
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  void Run(cudaStream_t stream) const {
    if (comm_ == nullptr) return;
    SIMGPU_CHECK(ncclAllReduce(nullptr, nullptr, count_, kFloat32, kSum, comm_, stream));
  }

 private:
  size_t count_;
  ncclComm_t comm_ = nullptr;
};

__attribute__((noinline)) void HostWork(double cpu_ms) {
  BurnCpuNs(static_cast<int64_t>(cpu_ms * 1e6));
}

class Trainer {
 public:
  Trainer(const Options& options, const ncclUniqueId& id, int rank)
      : options_(options),
        host_ms_(options.step.host_ms + (rank == options.slow_rank ? options.slow_ms : 0)),
        input_(options.loader.batch_bytes, options.step.is_pinned),
        kernels_(options.step),
        reduction_(options, id, rank) {}

  Status Train(Loader& loader) {
    const int64_t start_ns = NowNs();
    while (WantsMore(start_ns)) {
      GPUWHY_ASSIGN_OR_RETURN(const auto batch, loader.NextBatch());
      RunStep(batch);
      GPUWHY_RETURN_IF_ERROR(PauseAfterStep(options_.pause, ++step_count_));
    }
    SIMGPU_CHECK(cudaDeviceSynchronize());
    const double seconds = static_cast<double>(NowNs() - start_ns) / 1e9;
    fmt::print("steps={} seconds={:.3f} steps_per_second={:.1f}\n", step_count_, seconds,
               static_cast<double>(step_count_) / seconds);
    return {};
  }

 private:
  bool WantsMore(int64_t start_ns) const {
    if (options_.duration_s <= 0) return step_count_ < options_.steps;
    return static_cast<double>(NowNs() - start_ns) < options_.duration_s * 1e9;
  }

  void RunStep(std::span<const char> batch) {
    TouchFreshMemory(options_.step.fault_bytes);
    input_.CopyIn(batch, kernels_.stream());
    HostWork(host_ms_);
    kernels_.LaunchStep();
    reduction_.Run(kernels_.stream());
    const int every = options_.step.sync_every_steps;
    if (every > 0 && (step_count_ + 1) % every == 0)
      SIMGPU_CHECK(cudaStreamSynchronize(kernels_.stream()));
  }

  const Options& options_;
  double host_ms_;
  Input input_;
  StepKernels kernels_;
  Reduction reduction_;
  int64_t step_count_ = 0;
};

// CUDA does not survive a fork, so the loader comes first.
int RunRank(const Options& options, const ncclUniqueId& id, int rank) {
  auto loader = Loader::Start(options.loader);
  Status status = loader.ok() ? Status() : loader.error();
  if (status.ok()) {
    KeepResident(options.step.resident_mappings, options.step.resident_bytes);
    status = Trainer(options, id, rank).Train(loader.value());
    loader.value().Stop();
  }
  if (!status.ok()) std::fprintf(stderr, "training_loop: %s\n", status.error().message.c_str());
  return status.ok() ? 0 : 1;
}

std::vector<pid_t> ForkRanks(const Options& options, const ncclUniqueId& id) {
  std::vector<pid_t> ranks;
  for (int rank = 1; rank < options.ranks; ++rank) {
    const pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::exit(RunRank(options, id, rank));
    }
    ranks.push_back(pid);
  }
  return ranks;
}

int Run(const Options& options) {
  std::signal(SIGPIPE, SIG_IGN);
  ncclUniqueId id{};
  if (options.ranks > 1) SIMGPU_CHECK(ncclGetUniqueId(&id));
  const std::vector<pid_t> ranks = ForkRanks(options, id);
  int exit_code = RunRank(options, id, 0);
  for (const pid_t rank : ranks) {
    int status = 0;
    if (waitpid(rank, &status, 0) < 0 || status != 0) exit_code = 1;
  }
  return exit_code;
}

}  // namespace
}  // namespace gpuwhy::simgpu

int main(int argc, char** argv) {
  return gpuwhy::simgpu::Run(gpuwhy::simgpu::ParseOptions(argc, argv));
}
