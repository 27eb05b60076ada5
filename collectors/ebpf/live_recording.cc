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

}  // namespace

Result<std::unique_ptr<LiveRecording>> LiveRecording::Start(const TraceDb& db,
                                                            RecordingOptions options) {
  std::unique_ptr<LiveRecording> recording(new LiveRecording(db, std::move(options)));
  // Written ahead, so that readers are not blocked and a crash leaves the last commit.
  GPUWHY_RETURN_IF_ERROR(db.Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
  GPUWHY_RETURN_IF_ERROR(db.CreateIndexes());
  GPUWHY_RETURN_IF_ERROR(db.Execute("BEGIN"));
  GPUWHY_RETURN_IF_ERROR(recording->Attach());
  GPUWHY_RETURN_IF_ERROR(recording->FollowWanted());
  // The loader of this program is most often that of the next ones too.
  recording->libraries_->Look({getpid()});
  recording->LookAround();
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
  for (const std::string& name : probes_->absent()) {
    recorder_->Count(kTracepointAbsent, 1, {}, name);
  }
  const KernelProbes& probes = *probes_;
  processes_ = std::make_unique<ProcessBook>(
      *recorder_, clock_.offset_ns,
      [&probes](uint32_t tid, OtherThread& other) { return probes.ReadOther(tid, other); });
  stacks_ = std::make_unique<StackBook>(*recorder_, [&probes](uint64_t key, StackValue& value) {
    return probes.ReadStack(key, value);
  });
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
  return {};
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
  processes_->Process(static_cast<uint32_t>(pid));
  stacks_->Remember(static_cast<uint32_t>(pid));
  const auto children = DescendantsOf(pid);
  if (!children.ok()) return {};  // it has ended
  for (const pid_t child : children.value()) {
    if (child == getpid()) continue;
    GPUWHY_RETURN_IF_ERROR(probes_->Enrol(child));
    processes_->Process(static_cast<uint32_t>(child));
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
  for (const pid_t pid : probes_->Targets()) {
    if (!processes_->IsKnown(static_cast<uint32_t>(pid))) static_cast<void>(Follow(pid).ok());
  }
}

Status LiveRecording::Read(std::chrono::milliseconds longest_wait) {
  GPUWHY_RETURN_IF_ERROR(
      probes_->Read(longest_wait, [this](const EventHeader& header, size_t size_bytes) {
        decoder_->Decode(header, size_bytes);
        second_->See(header, size_bytes);
      }));
  LookAtChanged();
  return recorder_->status();
}

// New libraries at once: each millisecond is calls that are not seen.
void LiveRecording::LookAtChanged() {
  const std::set<pid_t> changed = decoder_->TakeChanged();
  if (changed.empty()) return;
  libraries_->Look({changed.begin(), changed.end()});
  for (const pid_t pid : changed) {
    if (processes_->IsKnown(static_cast<uint32_t>(pid))) {
      stacks_->Remember(static_cast<uint32_t>(pid));
    }
  }
}

Status LiveRecording::WriteRollUps() {
  GPUWHY_RETURN_IF_ERROR(probes_->TakeRollUps(
      [this](const RollUpKey& key, const RollUpValue& value) { roll_ups_->Add(key, value); }));
  second_->See(roll_ups_->pending());
  roll_ups_->Write();
  return {};
}

void LiveRecording::CountLosses() {
  const auto losses = probes_->Losses();
  for (size_t kind = 0; kind < losses.size(); ++kind) {
    recorder_->SetLoss(kKernelLosses[kind], static_cast<int64_t>(losses[kind]));
  }
}

// Rows before roll-ups: those that were sent while the roll-ups were exchanged come next second.
Result<SecondSummary> LiveRecording::EndSecond() {
  GPUWHY_RETURN_IF_ERROR(WriteRollUps());
  GPUWHY_RETURN_IF_ERROR(Read(std::chrono::milliseconds(0)));
  LookAround();
  CountLosses();
  GPUWHY_RETURN_IF_ERROR(recorder_->Finish());
  GPUWHY_RETURN_IF_ERROR(db_.Execute("COMMIT; BEGIN"));
  return Summary();
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
  probes_.reset();
  GPUWHY_RETURN_IF_ERROR(recorder_->Finish());
  // One file again, without its log.
  return db_.Execute("COMMIT; PRAGMA journal_mode = DELETE");
}

}  // namespace gpuwhy
