// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/live_recording.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "collectors/ebpf/losses.h"
#include "collectors/process/proc_status.h"
#include "collectors/process/process_list.h"

namespace gpuwhy {
namespace {

CaptureRow CaptureOf(const RecordingOptions& options, const ClockOffset& clock) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  CaptureRow capture;
  capture.kind = "ebpf";
  capture.host = host;
  capture.clock_offset_ns = clock.offset_ns;
  capture.clock_error_ns = clock.error_ns;
  capture.cpu_count = sysconf(_SC_NPROCESSORS_ONLN);
  capture.memory_bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  capture.tool_version = options.tool_version;
  return capture;
}

// Written ahead, so that readers are not blocked and a crash leaves the last commit. NORMAL: the
// log is synced when it is moved into the file, not at each commit. What was committed survives the
// end of this process in any case, since the kernel has it; only a crash of the machine can cost
// the last commits, and never the file's consistency. FULL would sync each second, disk traffic
// that competes with the program that is recorded; OFF could leave a damaged file. The cache holds
// a busy second, whose pages would else go to the log several times.
constexpr const char* kPragmas =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768";

// Who asked for a small file does not want a large log beside it.
int64_t LogBytesOf(const RecordingOptions& options) {
  constexpr int64_t kSmallest = 8 << 20;
  if (options.max_db_bytes == 0) return options.max_log_bytes;
  return std::min(options.max_log_bytes, std::max(options.max_db_bytes / 2, kSmallest));
}

}  // namespace

Result<std::unique_ptr<LiveRecording>> LiveRecording::Start(const TraceDb& db,
                                                            RecordingOptions options) {
  std::unique_ptr<LiveRecording> recording(new LiveRecording(db, std::move(options)));
  GPUWHY_RETURN_IF_ERROR(db.Execute(kPragmas));
  GPUWHY_RETURN_IF_ERROR(db.CreateIndexes());
  GPUWHY_RETURN_IF_ERROR(db.Execute("BEGIN"));
  GPUWHY_RETURN_IF_ERROR(recording->Attach());
  GPUWHY_RETURN_IF_ERROR(recording->FollowWanted());
  // The loader of this program is most often that of the next ones too.
  recording->libraries_->Look({getpid()});
  recording->LookAround();
  recording->PollSystem();
  // From now on there is a trace, whatever happens to us.
  GPUWHY_RETURN_IF_ERROR(recording->recorder_->Finish());
  GPUWHY_RETURN_IF_ERROR(db.Execute("COMMIT; BEGIN"));
  return recording;
}

Status LiveRecording::Attach() {
  clock_ = MeasureClockOffset();
  options_.probes.clock_offset_ns = clock_.offset_ns;
  options_.probes.enrols_gpu_users = FollowsAll();
  options_.probes.comm = options_.comm;
  GPUWHY_ASSIGN_OR_RETURN(recorder_, Recorder::Start(db_, CaptureOf(options_, clock_)));
  recorder_->DisableRollUps();
  GPUWHY_ASSIGN_OR_RETURN(probes_, KernelProbes::Start(options_.probes));
  MeasureCosts();
  for (const std::string& name : probes_->absent()) {
    recorder_->Count(kTracepointAbsent, 1, {}, name);
  }
  const KernelProbes& probes = *probes_;
  processes_ = std::make_unique<ProcessBook>(
      *recorder_, clock_.offset_ns,
      [&probes](uint32_t tid, OtherThread& other) { return probes.ReadOther(tid, other); });
  python_ = std::make_unique<PythonBook>(
      *recorder_,
      [&probes](uint64_t key, PythonStack& value) { return probes.ReadPythonStack(key, value); },
      [&probes](uint64_t key, PythonCode& value) { return probes.ReadPythonCode(key, value); });
  python_watch_ = std::make_unique<PythonWatch>(probes, *recorder_);
  stacks_ = std::make_unique<StackBook>(
      *recorder_, *python_,
      [&probes](uint64_t key, StackValue& value) { return probes.ReadStack(key, value); });
  calls_ = std::make_unique<CallRows>(*recorder_, clock_.offset_ns);
  decoder_ =
      std::make_unique<EventDecoder>(*recorder_, *processes_, *stacks_, *calls_, clock_.offset_ns);
  roll_ups_ = std::make_unique<RollUpRows>(*recorder_, *processes_, *calls_);
  second_ = std::make_unique<SecondBook>(*calls_, [&probes](uint32_t tid) {
    OtherThread other{};
    if (!probes.ReadOther(tid, other)) return std::string();
    return std::string(other.comm, strnlen(other.comm, sizeof other.comm));
  });
  libraries_ = std::make_unique<LibraryWatch>(*probes_, *calls_, *recorder_);
  system_ =
      std::make_unique<SystemPollers>(*recorder_, [&probes] { return probes.InterruptTimes(); });
  retention_ = std::make_unique<Retention>(db_, *recorder_, options_.max_db_bytes);
  log_ = std::make_unique<LogLimit>(db_, LogBytesOf(options_));
  return {};
}

void LiveRecording::MeasureCosts() {
  const auto costs = MeasureProbeCosts(*probes_);
  if (!costs.ok()) recorder_->Count(kProbeCostUnknown, 1, {}, costs.error().message);
  losses_before_ = probes_->Losses();
  meter_ = std::make_unique<OverheadMeter>(*recorder_, costs.ok() ? costs.value() : ProbeCosts{});
  budget_ = std::make_unique<OverheadBudget>(*probes_, *recorder_, options_.overhead_budget_pct);
  if (options_.overhead_budget_pct > 0) {
    recorder_->SetFact("overhead_budget_pct", options_.overhead_budget_pct);
  }
}

Status LiveRecording::FollowWanted() {
  std::vector<pid_t> wanted = options_.pids;
  if (!options_.comm.empty()) {
    GPUWHY_ASSIGN_OR_RETURN(const auto named, PidsOfName(options_.comm));
    wanted.insert(wanted.end(), named.begin(), named.end());
  }
  if (!options_.cgroup.empty()) {
    GPUWHY_ASSIGN_OR_RETURN(const auto members, PidsOfCgroup(options_.cgroup));
    wanted.insert(wanted.end(), members.begin(), members.end());
  }
  for (const pid_t pid : wanted) {
    if (pid != getpid()) GPUWHY_RETURN_IF_ERROR(Follow(pid));
  }
  return {};
}

// The children first: one that is forked in between is followed by the kernel side.
Status LiveRecording::Follow(pid_t pid) {
  GPUWHY_RETURN_IF_ERROR(probes_->Enrol(pid));
  processes_->Follow(static_cast<uint32_t>(pid));
  stacks_->Remember(static_cast<uint32_t>(pid));
  const auto children = DescendantsOf(pid);
  if (!children.ok()) return {};  // it has ended
  for (const pid_t child : children.value()) {
    if (child == getpid()) continue;
    GPUWHY_RETURN_IF_ERROR(probes_->Enrol(child));
    processes_->Follow(static_cast<uint32_t>(child));
    stacks_->Remember(static_cast<uint32_t>(child));
  }
  return {};
}

std::vector<pid_t> LiveRecording::PidsToLookAt() const {
  if (!FollowsAll()) return probes_->Targets();
  auto all = ListPids();
  return all.ok() ? std::move(all).value() : std::vector<pid_t>();
}

void LiveRecording::LookAround() {
  libraries_->Look(PidsToLookAt());
  python_watch_->Look(probes_->Targets());
  for (const pid_t pid : probes_->Targets()) {
    if (!processes_->IsFollowed(static_cast<uint32_t>(pid))) static_cast<void>(Follow(pid).ok());
  }
}

Status LiveRecording::Read(std::chrono::milliseconds longest_wait) {
  GPUWHY_RETURN_IF_ERROR(probes_->Read(
      longest_wait,
      [this](const EventHeader& header, size_t size_bytes) { OnEvent(header, size_bytes); }));
  LookAtChanged();
  return recorder_->status();
}

void LiveRecording::OnEvent(const EventHeader& header, size_t size_bytes) {
  if (header.kind == kEventSample) meter_->Count(CostPart::kSamples, 1);
  if (log_->is_full() && header.kind != kEventProcess) return recorder_->Count(kReaderInTheWay);
  decoder_->Decode(header, size_bytes);
  second_->See(header, size_bytes);
  FollowPython(header);
}

CostPart LiveRecording::PartOf(const RollUpKey& key) const {
  return key.kind == kEventCall ? gpuwhy::PartOf(libraries_->GroupOf(key.sub))
                                : CostPart::kSwitches;
}

// New libraries at once: each millisecond is calls that are not seen.
void LiveRecording::LookAtChanged() {
  const std::map<pid_t, int64_t> changed = decoder_->TakeChanged();
  if (changed.empty()) return;
  std::vector<pid_t> pids;
  pids.reserve(changed.size());
  for (const auto& [pid, time_ns] : changed)
    pids.push_back(pid);
  libraries_->Look(pids, changed);
  python_watch_->Look(pids);
  for (const pid_t pid : pids) {
    if (processes_->IsFollowed(static_cast<uint32_t>(pid))) {
      stacks_->Remember(static_cast<uint32_t>(pid));
    }
  }
}

void LiveRecording::FollowPython(const EventHeader& header) {
  const bool is_exit = header.kind == kEventProcess && header.sub == kProcessExit;
  const bool is_exec = header.kind == kEventProcess && header.sub == kProcessExec;
  if (is_exit || is_exec) python_watch_->Forget(static_cast<pid_t>(header.tgid));
  if (is_exit) python_->Forget(header.tgid);
}

Status LiveRecording::WriteRollUps() {
  GPUWHY_RETURN_IF_ERROR(
      probes_->TakeRollUps([this](const RollUpKey& key, const RollUpValue& value) {
        meter_->Count(PartOf(key), value.event_count);
        roll_ups_->Add(key, value);
      }));
  second_->See(roll_ups_->pending());
  if (!log_->is_full()) roll_ups_->Write();
  return {};
}

void LiveRecording::PollSystem() {
  std::vector<PolledProcess> targets;
  for (const pid_t pid : probes_->Targets()) {
    const auto tgid = static_cast<uint32_t>(pid);
    if (processes_->IsFollowed(tgid)) targets.push_back({pid, processes_->Process(tgid)});
  }
  const int64_t monotonic_ns = MonotonicNs();
  const int64_t time_ns = monotonic_ns + clock_.offset_ns;
  system_->Poll(time_ns, monotonic_ns, targets);
  if (system_->elapsed_ns() == 0) return;
  last_cost_ = meter_->EndSecond(time_ns, system_->elapsed_ns(), system_->target_cpu_ns());
  budget_->Judge(last_cost_, time_ns);
}

void LiveRecording::CountLosses() {
  const auto losses = probes_->Losses();
  for (size_t kind = 0; kind < losses.size(); ++kind) {
    recorder_->SetLoss(KernelLosses()[kind],
                       static_cast<int64_t>(losses[kind] - losses_before_[kind]));
  }
}

// Rows before roll-ups: those that were sent while the roll-ups were exchanged come next second.
Result<SecondSummary> LiveRecording::EndSecond() {
  GPUWHY_RETURN_IF_ERROR(WriteRollUps());
  GPUWHY_RETURN_IF_ERROR(Read(std::chrono::milliseconds(0)));
  LookAround();
  stacks_->Forget(processes_->ForgetEnded());
  CountLosses();
  // While the log is full, all this waits; roll-ups stay exact.
  if (!log_->is_full()) GPUWHY_RETURN_IF_ERROR(WriteSecond());
  GPUWHY_RETURN_IF_ERROR(db_.Execute("COMMIT"));
  GPUWHY_RETURN_IF_ERROR(log_->Look());
  GPUWHY_RETURN_IF_ERROR(db_.Execute("BEGIN"));
  return Summary();
}

Status LiveRecording::WriteSecond() {
  PollSystem();
  GPUWHY_RETURN_IF_ERROR(retention_->Trim(MonotonicNs() + clock_.offset_ns));
  return recorder_->Finish();
}

SecondSummary LiveRecording::Summary() {
  SecondSummary summary = second_->Take();
  summary.target_count = static_cast<int64_t>(probes_->Targets().size());
  for (const auto& [kind, count] : recorder_->Losses()) {
    if (kind.severity == LossSeverity::kDataLoss) {
      summary.losses.push_back({std::string(kind.name), count});
    }
  }
  return summary;
}

Status LiveRecording::Finish() {
  GPUWHY_RETURN_IF_ERROR(Read(std::chrono::milliseconds(0)));
  GPUWHY_RETURN_IF_ERROR(WriteRollUps());
  GPUWHY_RETURN_IF_ERROR(Read(std::chrono::milliseconds(0)));
  calls_->Flush();
  for (const std::string& problem : stacks_->symbolizer().Problems()) {
    recorder_->Count(kSymbolsUnreadable, 1, {}, problem);
  }
  CountLosses();
  roll_ups_->Write();
  PollSystem();
  meter_->WriteFacts();
  probes_.reset();
  GPUWHY_RETURN_IF_ERROR(recorder_->Finish());
  // One file again, without its log.
  return db_.Execute("COMMIT; PRAGMA journal_mode = DELETE");
}

}  // namespace gpuwhy
