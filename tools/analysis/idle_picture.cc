// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/idle_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/cold_start.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/rules.h"

namespace gpuwhy {
namespace {

constexpr int64_t kFewestOperations = 10;

bool RecordsDevices(const TraceFacts& facts) {
  const auto& captures = facts.actors().captures();
  return std::any_of(captures.begin(), captures.end(), [](const CaptureInfo& capture) {
    return capture.kind == "kineto" || capture.kind == "nsys" || capture.kind == "cupti";
  });
}

struct LaunchCount {
  int64_t all = 0;
  int64_t kernels = 0;
};

Result<LaunchCount> CountLaunches(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* calls, facts.HostCalls());
  LaunchCount count;
  for (const HostCall& call : *calls) {
    if (call.is_child) continue;
    count.all += call.kind == CallKind::kLaunch ? 1 : 0;
    count.kernels += call.is_kernel_launch ? 1 : 0;
  }
  return count;
}

Status CountOperations(const TraceFacts& facts, IdlePicture& picture) {
  GPUWHY_ASSIGN_OR_RETURN(const LaunchCount launches, CountLaunches(facts));
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<DeviceOp>* ops, facts.DeviceOps());
  int64_t kernel_count = 0;
  for (const DeviceOp& op : *ops) {
    kernel_count += op.kind == OpKind::kKernel || op.kind == OpKind::kGraph ? 1 : 0;
    if (op.kernel_class == KernelClass::kComm) picture.collective_ns += op.end_ns - op.start_ns;
  }
  const bool is_device = picture.view == View::kDevice;
  picture.operation_count = is_device ? static_cast<int64_t>(ops->size()) : launches.all;
  if ((is_device || RecordsDevices(facts)) &&
      rules::HasLostDeviceRows(launches.kernels, kernel_count)) {
    picture.refusal = fmt::format(
        "{} kernel launches but {} kernels on the device: device rows are missing, so idle time "
        "cannot be told; record again with device activity enabled",
        FormatCount(launches.kernels), FormatCount(kernel_count));
  }
  return {};
}

// Calls of the whole trace, as counted and as stored.
Status CompareWithRollUps(const TraceFacts& facts, IdlePicture& picture) {
  int64_t stored_ns = 0;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT count(*), coalesce(sum(duration_ns), 0) FROM api_call", {}, [&](const Row& row) {
        picture.stored_call_count = row.Int(0);
        stored_ns = row.Int(1);
      }));
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT coalesce(sum(event_count), 0), coalesce(sum(sum_ns), 0) FROM latency "
      "WHERE source = 'api_call'",
      {}, [&](const Row& row) {
        picture.counted_call_count = row.Int(0);
        picture.unstored_call_ns = std::max<int64_t>(row.Int(1) - stored_ns, 0);
      }));
  if (picture.refusal.empty() &&
      !rules::CanTrustGaps(picture.stored_call_count, picture.counted_call_count)) {
    picture.refusal = fmt::format(
        "only {} of at least {} CUDA calls are stored as rows, so a gap between rows is not idle "
        "time: record device activity, or every call",
        FormatCount(picture.stored_call_count), FormatCount(picture.counted_call_count));
  }
  return {};
}

// After the process that feeds the device has ended, nothing is owed to it.
int64_t EndOfDuty(const TraceFacts& facts, const Gap& gap) {
  const ProcessInfo* process = facts.actors().ProcessOfThread(gap.thread_id);
  const bool has_ended = gap.is_last && process != nullptr && process->end_ns.has_value();
  return has_ended ? std::clamp(*process->end_ns, gap.start_ns, gap.end_ns) : gap.end_ns;
}

void AddGaps(const TraceFacts& facts, const BusyTimeline& timeline, IdlePicture& picture) {
  const bool is_api = picture.view == View::kApi;
  for (Gap gap : timeline.gaps) {
    if (gap.is_start_up) continue;
    gap.end_ns = EndOfDuty(facts, gap);
    if (is_api && gap.duration_ns() < kIdleApiGapNs) continue;
    picture.idle.push_back(gap.interval());
    if (is_api || gap.duration_ns() >= kListedDeviceGapNs) picture.gaps.push_back(gap);
  }
}

Status AddTimelines(const TraceFacts& facts, IdlePicture& picture) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<BusyTimeline>* timelines, facts.Timelines());
  const BusyTimeline* worst = nullptr;
  for (const BusyTimeline& timeline : *timelines) {
    picture.span_ns += timeline.span.duration_ns();
    picture.busy_ns += timeline.busy_ns;
    picture.idle_ns += timeline.idle_ns;
    if (worst == nullptr || timeline.idle_ns > worst->idle_ns) worst = &timeline;
  }
  picture.device_count = static_cast<int64_t>(timelines->size());
  if (worst == nullptr) return {};
  picture.span = worst->span;
  picture.gpu_id = worst->gpu_id;
  AddGaps(facts, *worst, picture);
  if (picture.view == View::kApi) picture.idle_ns = Length(picture.idle);
  return {};
}

// Every device waits while one process starts up, so the time counts once per device.
Status SubtractStartUp(const TraceFacts& facts, IdlePicture& picture) {
  GPUWHY_ASSIGN_OR_RETURN(const Intervals* cold, ColdTimes(facts));
  if (cold->empty()) return {};
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<BusyTimeline>* timelines, facts.Timelines());
  for (const BusyTimeline& timeline : *timelines) {
    for (const Gap& gap : timeline.gaps)
      picture.start_up_ns += LengthWithin(*cold, gap.interval());
  }
  return {};
}

Status FindFeeder(const TraceFacts& facts, IdlePicture& picture) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<Feeder>* feeders, facts.Feeders());
  if (feeders->empty()) return {};
  picture.feeder_thread_id = feeders->front().thread_id;
  const ProcessInfo* process = facts.actors().ProcessOfThread(picture.feeder_thread_id);
  if (process != nullptr) picture.feeder_process_id = process->id;
  return {};
}

Result<IdlePicture> MakeIdlePicture(const TraceFacts& facts) {
  IdlePicture picture{.view = facts.view()};
  if (picture.view == View::kNone) {
    picture.refusal = fmt::format("needs {}", kNeedsCalls);
    return picture;
  }
  GPUWHY_RETURN_IF_ERROR(CountOperations(facts, picture));
  GPUWHY_RETURN_IF_ERROR(AddTimelines(facts, picture));
  GPUWHY_RETURN_IF_ERROR(SubtractStartUp(facts, picture));
  GPUWHY_RETURN_IF_ERROR(FindFeeder(facts, picture));
  if (picture.view != View::kDevice) GPUWHY_RETURN_IF_ERROR(CompareWithRollUps(facts, picture));
  if (picture.refusal.empty() && picture.operation_count < kFewestOperations) {
    picture.is_abstention = false;
    picture.refusal = fmt::format(
        "{} {}, too few to judge", FormatCount(picture.operation_count),
        picture.view == View::kDevice ? "operations on the device" : "launches and copies");
  }
  return picture;
}

}  // namespace

double IdlePicture::SteadyIdleRatio() const {
  const int64_t steady_ns = span_ns - start_up_ns;
  if (steady_ns <= 0) return 0;
  return static_cast<double>(idle_ns - start_up_ns) / static_cast<double>(steady_ns);
}

Result<const IdlePicture*> LookAtIdle(const TraceFacts& facts) {
  return facts.Once(&MakeIdlePicture);
}

}  // namespace gpuwhy
