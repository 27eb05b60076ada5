// SPDX-License-Identifier: Apache-2.0
// Kernels are shorter than the time it takes to launch them, so the queue never builds up and the
// device idles between them.
#include <fmt/format.h>

#include "schema/base/text.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/idle_picture.h"
#include "tools/analysis/idle_sql.h"
#include "tools/analysis/launch_queue.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/rules.h"
#include "tools/detector.h"

namespace gpuwhy::tools::detectors::launch_bound_small_kernels {
namespace {

constexpr double kMinIdleRatio = 0.3;
constexpr double kEmptyQueueRatio = 0.8;
constexpr int64_t kFewestKernels = 100;

Finding MakeFinding(const TraceFacts& facts, const IdlePicture& picture, const LaunchQueue& queue) {
  Finding finding{.detector = "launch-bound-small-kernels",
                  .severity = SeverityOfShare(queue.short_gap_ns, picture.span_ns),
                  .start_ns = picture.span.start_ns,
                  .end_ns = picture.span.end_ns,
                  .lost_ns = queue.short_gap_ns / picture.device_count};
  finding.title = fmt::format(
      "Kernels of {} (median) are launched every {}: the GPU idles {} of the time between them",
      FormatDuration(queue.median_kernel_ns), FormatDuration(queue.median_spacing_ns),
      Percent(RatioOf(queue.short_gap_ns, picture.span_ns)));
  finding.evidence = {
      NsFact("short_gap_ns", "idle in gaps below 1 ms", queue.short_gap_ns),
      CountFact("short_gap_count", "gaps", queue.short_gap_count),
      PctFact("empty_queue_pct", "with an empty queue",
              RatioOf(queue.empty_gap_ns, queue.short_gap_ns)),
      CountFact("kernel_count", "kernels", queue.kernel_count),
      NsFact("median_kernel_ns", "median kernel", queue.median_kernel_ns),
      NsFact("median_launch_ns", "median launch call", queue.median_launch_ns),
      NsFact("median_spacing_ns", "median launch to launch", queue.median_spacing_ns)};
  finding.row_ids = {RowId("gpu_op", queue.longest_gap_op_id)};
  finding.evidence_sql = GapSql(facts, View::kDevice, {.min_ns = 1, .max_ns = kLaunchGapNs});
  finding.counter_test = rules::TextOf(
      {.expectation = "if the device were the limit, launches would be queued ahead",
       .observation = fmt::format("in {} of these gaps (by time) nothing was queued",
                                  Percent(RatioOf(queue.empty_gap_ns, queue.short_gap_ns))),
       .outcome = rules::CounterTest::Outcome::kHeld});
  finding.basis = "measured: launch start against start of the operation before";
  finding.fix =
      "CUDA graphs or torch.compile, fused or foreach optimizers, larger batches, fewer "
      "tiny tensors";
  return finding;
}

Result<Detection> Find(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const IdlePicture* idle, LookAtIdle(facts));
  const IdlePicture& picture = *idle;
  if (picture.view != View::kDevice) return Abstain(fmt::format("needs {}", kNeedsDevice));
  if (!facts.Has(Collector::kApiCall)) return Abstain(fmt::format("needs {}", kNeedsCalls));
  if (!picture.IsUsable()) return Detection(picture.Silence());
  GPUWHY_ASSIGN_OR_RETURN(const LaunchQueue queue, LaunchQueueOf(facts));
  const double idle_ratio = RatioOf(queue.short_gap_ns, picture.span_ns);
  const double empty_ratio = RatioOf(queue.empty_gap_ns, queue.short_gap_ns);
  const bool is_found = queue.kernel_count >= kFewestKernels && idle_ratio >= kMinIdleRatio &&
                        empty_ratio >= kEmptyQueueRatio &&
                        queue.median_kernel_ns < queue.median_spacing_ns;
  if (!is_found) {
    return NothingFound(
        fmt::format("{} idle in gaps below 1 ms, {} of it with an empty queue, {} kernels",
                    Percent(idle_ratio), Percent(empty_ratio), FormatCount(queue.kernel_count)));
  }
  return Detection(std::vector<Finding>{MakeFinding(facts, picture, queue)});
}

}  // namespace

Detector Define() {
  return {.name = "launch-bound-small-kernels",
          .question = "Are kernels shorter than the time it takes to launch them?",
          .find = &Find};
}

}  // namespace gpuwhy::tools::detectors::launch_bound_small_kernels
