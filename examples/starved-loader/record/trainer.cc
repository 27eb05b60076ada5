// SPDX-License-Identifier: Apache-2.0
#include "examples/starved-loader/record/trainer.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <optional>
#include <string>

#include "examples/starved-loader/record/clock.h"
#include "examples/starved-loader/record/scheduling.h"

namespace gpuwhy::starved_loader {
namespace {

constexpr int64_t kLoadPeriodNs = 1'000'000'000;
constexpr std::array kKernels = {DeviceWork::kScaleBias, DeviceWork::kStencil,
                                 DeviceWork::kReduceSum};

// The share of busy time of all CPUs between two calls.
class CpuLoadMeter {
 public:
  std::optional<double> BusyPct() {
    // "cpu  user nice system idle iowait irq softirq steal guest guest_nice", in ticks
    std::ifstream file("/proc/stat");
    std::string label;
    file >> label;
    std::array<int64_t, 8> ticks{};
    for (int64_t& value : ticks)
      file >> value;
    if (!file) return std::nullopt;
    int64_t total = 0;
    for (const int64_t value : ticks)
      total += value;
    const int64_t busy = total - ticks[3] - ticks[4];
    const int64_t total_delta = total - total_;
    const int64_t busy_delta = busy - busy_;
    const bool is_first = total_ == 0;
    total_ = total;
    busy_ = busy;
    if (is_first || total_delta <= 0) return std::nullopt;
    return 100.0 * static_cast<double>(busy_delta) / static_cast<double>(total_delta);
  }

 private:
  int64_t total_ = 0;
  int64_t busy_ = 0;
};

class Loop {
 public:
  Loop(std::span<Worker> workers, SoftwareDevice& device) : workers_(workers), device_(device) {}

  Result<TrainerLog> Run(int64_t duration_ns) {
    log_.start_ns = NowNs();
    log_.is_run_queue_known = run_queue_.is_available();
    for (int64_t step = 0; NowNs() - log_.start_ns < duration_ns; ++step) {
      GPUWHY_RETURN_IF_ERROR(Step(step));
      SampleLoad();
    }
    log_.end_ns = NowNs();
    return std::move(log_);
  }

 private:
  Status Step(int64_t number) {
    const auto index = static_cast<int>(number % kWorkerCount);
    const Worker& worker = workers_[static_cast<size_t>(index)];
    StepRecord record{.step = {.start_ns = NowNs()}};
    const BlockingWait wait(run_queue_);
    if (!worker.WaitForBatch()) return Unavailable("a loader process has died");
    log_.waits.push_back(wait.Finish(index));
    record.wait_for_batch = SpanSince(record.step.start_ns);
    ComputeOn(worker.Batch(number));
    worker.FreeSlot();
    record.step = SpanSince(record.step.start_ns);
    log_.steps.push_back(record);
    return {};
  }

  void ComputeOn(std::span<const float> batch) {
    Note(CallOf(DeviceWork::kCopyIn), static_cast<int64_t>(batch.size_bytes()),
         [&](int64_t id) { device_.CopyInAsync(batch, id); });
    for (const DeviceWork kernel : kKernels) {
      Note(CallOf(kernel), 0, [&](int64_t id) { device_.Launch(kernel, id); });
    }
    const BlockingWait wait(run_queue_);
    const int64_t start_ns = NowNs();
    device_.Synchronize();
    const SpanRecord span = SpanSince(start_ns);
    log_.calls.push_back(
        {.start_ns = span.start_ns, .duration_ns = span.duration_ns, .name = "swdevSynchronize"});
    log_.waits.push_back(wait.Finish(kNoWaker));
  }

  template <typename Call>
  void Note(std::string_view name, int64_t bytes, const Call& call) {
    const int64_t id = ++last_correlation_id_;
    const int64_t start_ns = NowNs();
    call(id);
    log_.calls.push_back({.start_ns = start_ns,
                          .duration_ns = NowNs() - start_ns,
                          .name = name,
                          .correlation_id = id,
                          .bytes = bytes});
  }

  void SampleLoad() {
    const int64_t now_ns = NowNs();
    if (now_ns < next_load_ns_) return;
    next_load_ns_ = now_ns + kLoadPeriodNs;
    if (const auto busy_pct = meter_.BusyPct()) {
      log_.cpu_load.push_back({.time_ns = now_ns, .busy_pct = *busy_pct});
    }
  }

  static SpanRecord SpanSince(int64_t start_ns) {
    return {.start_ns = start_ns, .duration_ns = NowNs() - start_ns};
  }

  std::span<Worker> workers_;
  SoftwareDevice& device_;
  RunQueueClock run_queue_;
  CpuLoadMeter meter_;
  TrainerLog log_;
  int64_t last_correlation_id_ = 0;
  int64_t next_load_ns_ = 0;
};

}  // namespace

Result<TrainerLog> Train(std::span<Worker> workers, SoftwareDevice& device, int64_t duration_ns) {
  return Loop(workers, device).Run(duration_ns);
}

}  // namespace gpuwhy::starved_loader
