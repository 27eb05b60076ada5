// SPDX-License-Identifier: Apache-2.0
#include "examples/starved-loader/record/trace_writer.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "collectors/demangle.h"
#include "collectors/recorder.h"
#include "schema/trace_db.h"

namespace gpuwhy::starved_loader {
namespace {

constexpr LossKind kFullLog{.name = "starved_loader.full_log",
                            .severity = LossSeverity::kDataLoss,
                            .description = "a process noted more than its log holds",
                            .advice = "record for a shorter time"};

std::string_view NameOf(WaitReason reason) {
  switch (reason) {
    case WaitReason::kAsked:
      return "sleep";
    case WaitReason::kPreempted:
      return "preempted";
    case WaitReason::kUnknown:
      return "unknown";
  }
  return "";
}

class Writer {
 public:
  Writer(Recorder& recorder, const Recording& recording)
      : recorder_(recorder), recording_(recording) {}

  Status Write() {
    AddProcesses();
    AddDevice();
    AddTrainer();
    for (size_t i = 0; i < recording_.workers.size(); ++i)
      AddWorker(recording_.workers[i].log(), worker_threads_[i]);
    return recorder_.Finish();
  }

 private:
  int64_t UnixNs(int64_t time_ns) const { return time_ns + recording_.clock.offset_ns; }

  int64_t AddProcess(pid_t pid, const ProcessFacts& facts) {
    const int64_t process_id = recorder_.ProcessOf(pid);
    recorder_.SetProcess(process_id, facts);
    const int64_t thread_id = recorder_.ThreadOf(process_id, pid);
    recorder_.SetThread(thread_id, {.name = facts.name});
    return thread_id;
  }

  void AddProcesses() {
    trainer_thread_ = AddProcess(getpid(), {.name = "trainer",
                                            .cmdline = "record_starved_loader",
                                            .start_ns = UnixNs(recording_.trainer.start_ns)});
    trainer_process_ = recorder_.ProcessOf(getpid());
    for (size_t i = 0; i < recording_.workers.size(); ++i) {
      const WorkerLog& log = recording_.workers[i].log();
      worker_threads_.push_back(AddProcess(log.pid, {.parent_id = trainer_process_,
                                                     .name = fmt::format("loader-{}", i),
                                                     .cmdline = "record_starved_loader",
                                                     .start_ns = UnixNs(log.start_ns),
                                                     .end_ns = UnixNs(log.end_ns)}));
    }
  }

  void AddDevice() {
    const int64_t gpu_id = recorder_.GpuOf(0);
    recorder_.SetGpu(gpu_id, {.name = "software device (a host thread, no GPU)"});
    for (const DeviceOpRecord& op : recording_.device.ops()) {
      const bool is_copy = op.work == DeviceWork::kCopyIn;
      GpuOpRow row{.start_ns = UnixNs(op.start_ns),
                   .duration_ns = op.duration_ns,
                   .gpu_id = gpu_id,
                   .process_id = trainer_process_,
                   .stream = 0,
                   .kind = is_copy ? "memcpy" : "kernel",
                   .name_id = recorder_.InternName(NameOf(op.work)),
                   .correlation_id = op.correlation_id};
      if (is_copy) {
        row.bytes = static_cast<int64_t>(kBatchBytes);
        row.copy_kind = "H2D";
      }
      recorder_.Add(row);
    }
  }

  void AddTrainer() {
    for (const CallRecord& call : recording_.trainer.calls)
      AddCall(call);
    int64_t number = 0;
    for (const StepRecord& step : recording_.trainer.steps) {
      AddRange(step.step, trainer_thread_, fmt::format("ProfilerStep#{}", number++));
      AddRange(step.wait_for_batch, trainer_thread_, "DataLoader.next_batch");
    }
    for (const WaitRecord& wait : recording_.trainer.waits)
      AddWait(wait, trainer_thread_);
    for (const CpuLoadRecord& load : recording_.trainer.cpu_load) {
      recorder_.AddCounterValue("system.cpu_pct", "pct", UnixNs(load.time_ns), load.busy_pct);
    }
  }

  void AddCall(const CallRecord& call) {
    ApiCallRow row{.start_ns = UnixNs(call.start_ns),
                   .duration_ns = call.duration_ns,
                   .thread_id = trainer_thread_,
                   .name_id = recorder_.InternName(call.name),
                   .stream = 0};
    if (call.correlation_id != 0) row.correlation_id = call.correlation_id;
    if (call.bytes != 0) {
      row.bytes = call.bytes;
      row.copy_kind = "H2D";
    }
    recorder_.Add(row);
  }

  void AddRange(const SpanRecord& span, int64_t thread_id, std::string_view name) {
    recorder_.Add(RangeRow{.start_ns = UnixNs(span.start_ns),
                           .duration_ns = span.duration_ns,
                           .thread_id = thread_id,
                           .name_id = recorder_.InternName(name),
                           .category = "user_annotation"});
  }

  void AddWait(const WaitRecord& wait, int64_t thread_id) {
    OffCpuRow row{.start_ns = UnixNs(wait.start_ns),
                  .duration_ns = wait.duration_ns,
                  .thread_id = thread_id,
                  .reason = NameOf(wait.reason)};
    if (recording_.trainer.is_run_queue_known) row.runnable_ns = wait.runnable_ns;
    if (wait.waker != kNoWaker) {
      row.waker_thread_id = worker_threads_[static_cast<size_t>(wait.waker)];
    }
    recorder_.Add(row);
  }

  void AddWorker(const WorkerLog& log, int64_t thread_id) {
    for (const WaitRecord& wait : log.waits.all())
      AddWait(wait, thread_id);
    for (const SpanRecord& batch : log.batches.all())
      AddRange(batch, thread_id, "make_batch");
    for (const StackRecord& stack : log.stacks.all())
      AddStack(stack, thread_id);
    const size_t dropped_count =
        log.waits.dropped_count + log.batches.dropped_count + log.stacks.dropped_count;
    if (dropped_count > 0) recorder_.Count(kFullLog, static_cast<int64_t>(dropped_count));
  }

  void AddStack(const StackRecord& stack, int64_t thread_id) {
    std::vector<int64_t> frames;
    for (int64_t i = stack.depth; i-- > 0;) {
      // A caller's address is that of the instruction after the call.
      const auto* address = static_cast<const char*>(stack.addresses[i]) - (i == 0 ? 0 : 1);
      frames.push_back(FrameAt(address));
    }
    recorder_.AddSample(UnixNs(stack.time_ns), thread_id, recorder_.InternCallsite(frames));
  }

  int64_t FrameAt(const char* address) {
    Dl_info info{};
    const bool is_known = dladdr(address, &info) != 0;
    const std::string module =
        is_known ? std::filesystem::path(info.dli_fname).filename().string() : std::string();
    const std::string function = is_known && info.dli_sname != nullptr
                                     ? Demangle(info.dli_sname)
                                     : fmt::format("(no symbol in {})", module);
    return recorder_.InternFrame({.kind = "native", .function_name = function, .module = module});
  }

  Recorder& recorder_;
  const Recording& recording_;
  int64_t trainer_process_ = 0;
  int64_t trainer_thread_ = 0;
  std::vector<int64_t> worker_threads_;
};

CaptureRow Describe(const Recording& recording) {
  utsname system{};
  uname(&system);
  return {
      .kind = "self",
      .clock_offset_ns = recording.clock.offset_ns,
      .clock_error_ns = recording.clock.error_ns,
      .cpu_count = static_cast<int64_t>(std::thread::hardware_concurrency()),
      .memory_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE),
      .tool_version = "gpuwhy starved-loader recorder",
      .facts_json = fmt::format(
          R"({{"os":"{}","kernel":"{}","device":"a host thread, no GPU","device_has_priority":{},"workload":"4 forked loader processes, batches through shared memory"}})",
          system.sysname, system.release, recording.device.has_priority())};
}

}  // namespace

Status WriteTrace(const std::string& path, const Recording& recording) {
  std::filesystem::remove(path);
  GPUWHY_ASSIGN_OR_RETURN(const TraceDb db, TraceDb::OpenForWriting(path));
  GPUWHY_RETURN_IF_ERROR(db.Execute("BEGIN"));
  GPUWHY_ASSIGN_OR_RETURN(const auto recorder, Recorder::Start(db, Describe(recording)));
  GPUWHY_RETURN_IF_ERROR(Writer(*recorder, recording).Write());
  GPUWHY_RETURN_IF_ERROR(db.Execute("COMMIT"));
  GPUWHY_RETURN_IF_ERROR(db.CreateIndexes());
  // One file to carry: no write-ahead log beside it.
  return db.Execute("PRAGMA journal_mode = DELETE");
}

}  // namespace gpuwhy::starved_loader
