// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/calibration.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>

#include "collectors/ebpf/clock.h"
#include "collectors/process/mapped_file.h"
#include "collectors/process/unique_fd.h"

namespace gpuwhy {
namespace {

constexpr int kBatches = 15;
constexpr int kCallsOfBatch = 60;
constexpr int kRounds = 5;
constexpr int kSleepsOfBatch = 10;
constexpr int64_t kBurnNs = 60'000'000;  // some samples at the usual 49 Hz
constexpr uint16_t kOwnFunction = 511;   // the last of map `functions`
constexpr FunctionSpec kNoArguments = {-1, -1, -1, -1, 0, 0, 0, 0, 0, {}};

// Its first instruction saves a register, as that of most library functions does: what a trap costs
// depends on the instruction that it replaces.
__attribute__((noinline, noclone)) void ProbedFunctionOfOurs() {
#if defined(__x86_64__)
  asm volatile("" ::: "rbx", "memory");
#else
  asm volatile("" ::: "x19", "memory");
#endif
}

struct Place {
  std::string path;
  ProbePoint point;
};

Result<Place> FindOwnFunction() {
  const auto address = reinterpret_cast<uintptr_t>(&ProbedFunctionOfOurs);
  GPUWHY_ASSIGN_OR_RETURN(const ProcessMaps maps, ReadMaps(getpid()));
  for (const Mapping& mapping : maps.mappings) {
    if (address < mapping.start || address >= mapping.end) continue;
    GPUWHY_ASSIGN_OR_RETURN(const MappedFile file, OpenMappedFile(getpid(), mapping));
    return Place{file.open_path,
                 {address - mapping.start + mapping.file_offset, kOwnFunction, ProbeGroup::kOwn}};
  }
  return Internal("cannot find our own code in /proc/self/maps");
}

// Gone with the object: the probes, the rows, and being a target.
class OwnProbe {
 public:
  explicit OwnProbe(KernelProbes& probes) : probes_(probes) {}
  ~OwnProbe() {
    probes_.Dismiss(getpid());
    probes_.Shed(ProbeGroup::kOwn);
    Drain();
    static_cast<void>(probes_.TakeRollUps([](const RollUpKey&, const RollUpValue&) {}).ok());
  }
  OwnProbe(const OwnProbe&) = delete;
  OwnProbe& operator=(const OwnProbe&) = delete;

  Status Attach() {
    GPUWHY_ASSIGN_OR_RETURN(const Place place, FindOwnFunction());
    GPUWHY_RETURN_IF_ERROR(probes_.SetFunction(kOwnFunction, kNoArguments));
    GPUWHY_RETURN_IF_ERROR(probes_.Enrol(getpid()));
    return probes_.AttachLibrary(place.path, {&place.point, 1});
  }
  void Drain() {
    const auto ignore = [](const EventHeader&, size_t) {};
    static_cast<void>(probes_.Read(std::chrono::milliseconds(0), ignore).ok());
  }

 private:
  KernelProbes& probes_;
};

double NsOfCall() {
  const int64_t start_ns = MonotonicNs();
  for (int i = 0; i < kCallsOfBatch; ++i)
    ProbedFunctionOfOurs();
  return static_cast<double>(MonotonicNs() - start_ns) / kCallsOfBatch;
}

// The median of some batches: others may take the core meanwhile. Rows are taken out in between.
double MedianNsOfCall(const std::function<void()>& between) {
  std::array<double, kBatches> costs{};
  for (double& cost : costs) {
    cost = NsOfCall();
    between();
  }
  std::sort(costs.begin(), costs.end());
  return costs[kBatches / 2];
}

double MeanNs(const ProgramCost& before, const ProgramCost& after) {
  const uint64_t count = after.run_count - before.run_count;
  return count == 0 ? 0.0
                    : static_cast<double>(after.run_time_ns - before.run_time_ns) /
                          static_cast<double>(count);
}

template <typename Body>
double MeanNsDuring(const KernelProbes& probes, const char* program, const Body& body) {
  const ProgramCost before = probes.CostOf(program);
  body();
  return MeanNs(before, probes.CostOf(program));
}

// The median of some means, for the same reason as above.
double MedianNsOf(KernelProbes& probes, OwnProbe& own, const char* program, void (*body)()) {
  std::array<double, kRounds> means{};
  for (double& mean : means) {
    mean = MeanNsDuring(probes, program, body);
    own.Drain();
  }
  std::sort(means.begin(), means.end());
  return means[kRounds / 2];
}

void CallOften() {
  NsOfCall();
}

void SleepShortly() {
  const timespec length{.tv_sec = 0, .tv_nsec = 1000};
  for (int i = 0; i < kSleepsOfBatch; ++i)
    nanosleep(&length, nullptr);
}

void Burn() {
  for (const int64_t end_ns = MonotonicNs() + kBurnNs; MonotonicNs() < end_ns;) {
  }
}

// By the kernel's own measure, which costs a little itself and is therefore asked for here only.
void MeasurePrograms(KernelProbes& probes, OwnProbe& own, ProbeCosts& costs) {
  const UniqueFd asked(bpf_enable_stats(BPF_STATS_RUN_TIME));
  if (!asked.ok()) return;
  const auto median = [&](const char* program, void (*body)()) {
    return MedianNsOf(probes, own, program, body);
  };
  costs.call_program_ns = median("call_entry", &CallOften) + median("call_return", &CallOften);
  // A time off the core is two switches and one wake-up.
  costs.switch_ns = 2 * median("on_switch", &SleepShortly) + median("on_waking", &SleepShortly);
  if (probes.sample_hz() > 0) costs.sample_ns = MeanNsDuring(probes, "on_sample", &Burn);
}

}  // namespace

Result<ProbeCosts> MeasureProbeCosts(KernelProbes& probes) {
  ProbeCosts costs;
  const double bare_ns = MedianNsOfCall([] {});
  OwnProbe own(probes);
  GPUWHY_RETURN_IF_ERROR(own.Attach());
  NsOfCall();  // the first calls fault pages in
  own.Drain();
  costs.call_ns = std::max(MedianNsOfCall([&] { own.Drain(); }) - bare_ns, 0.0);
  MeasurePrograms(probes, own, costs);
  return costs;
}

}  // namespace gpuwhy
