// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/event_decoder.h"

#include <fmt/format.h>

#include "collectors/ebpf/losses.h"

namespace gpuwhy {
namespace {

constexpr uint64_t kUnknownNs = UINT64_MAX;

template <typename Event>
const Event& As(const EventHeader& header) {
  return *reinterpret_cast<const Event*>(&header);
}

}  // namespace

std::string_view TextOf(OffCpuReason reason) {
  static constexpr std::string_view kTexts[kReasonCount] = {
      "preempted", "sleep", "io", "lock", "fault", "poll", "pipe", "network", "child", "unknown"};
  return reason < kReasonCount ? kTexts[reason] : "unknown";
}

std::string_view TextOf(HostKind kind) {
  static constexpr std::string_view kTexts[kHostKindCount] = {
      "block_read", "block_write", "block_discard", "mmap_lock", "foreign_mm_lock",
      "reclaim",    "compaction",  "fault",         "oom_kill",  "fork",
      "exec",       "thread_exit", "exit"};
  return kind < kHostKindCount ? kTexts[kind] : "other";
}

void EventDecoder::Decode(const EventHeader& header, size_t size_bytes) {
  if (header.kind == kEventCall && size_bytes == sizeof(CallEvent)) {
    Decode(As<CallEvent>(header));
  } else if (header.kind == kEventOffCpu && size_bytes == sizeof(OffCpuEvent)) {
    Decode(As<OffCpuEvent>(header));
  } else if (header.kind == kEventHost && size_bytes == sizeof(HostEvent)) {
    Decode(As<HostEvent>(header));
  } else if (header.kind == kEventProcess && size_bytes == sizeof(ProcessEvent)) {
    Decode(As<ProcessEvent>(header));
  } else if (header.kind == kEventSample && size_bytes == sizeof(SampleEvent)) {
    Decode(As<SampleEvent>(header));
  } else {
    recorder_.Count(kEventUnknown);
  }
}

void EventDecoder::Decode(const CallEvent& event) {
  const EventHeader& header = event.header;
  calls_.Add(event, processes_.Thread(header.tgid, header.tid),
             stacks_.Of({.user = header.stack, .python = event.python_stack}, header.tgid));
}

void EventDecoder::Decode(const OffCpuEvent& event) {
  const EventHeader& header = event.header;
  OffCpuRow row;
  row.start_ns = UnixNs(header.time_ns);
  row.duration_ns = static_cast<int64_t>(event.duration_ns);
  row.thread_id = processes_.Thread(header.tgid, header.tid);
  if (event.runnable_ns != kUnknownNs) row.runnable_ns = static_cast<int64_t>(event.runnable_ns);
  row.reason = TextOf(static_cast<OffCpuReason>(header.sub));
  row.waker_thread_id = processes_.OtherThread(event.waker_tgid, event.waker_tid);
  // Who takes the core of a thread that blocks is nobody's cause.
  if (header.sub == kReasonPreempted) {
    row.preemptor_thread_id = processes_.OtherThread(event.preemptor_tgid, event.preemptor_tid);
  }
  row.callsite_id = stacks_.Kernel(header.stack);
  recorder_.Add(row);
}

void EventDecoder::Decode(const HostEvent& event) {
  const EventHeader& header = event.header;
  HostEventRow row;
  row.start_ns = UnixNs(header.time_ns);
  row.duration_ns = static_cast<int64_t>(event.duration_ns);
  row.thread_id = processes_.Thread(header.tgid, header.tid);
  row.other_thread_id = processes_.OtherThread(event.other_tgid, event.other_tid);
  row.kind = TextOf(static_cast<HostKind>(header.sub));
  if (event.bytes != 0) row.bytes = static_cast<int64_t>(event.bytes);
  if (event.device != 0) {
    row.detail_name_id = recorder_.InternName(
        fmt::format("device {}:{}", event.device >> 20U, event.device & 0xFFFFFU));
  }
  recorder_.Add(row);
}

void EventDecoder::Decode(const ProcessEvent& event) {
  processes_.OnChange(event);
  const uint16_t change = event.header.sub;
  if (change == kProcessExit || change == kThreadExit) calls_.FlushThread(event.header.tid);
  if (change == kProcessExit) calls_.EndProcess(processes_.Process(event.header.tgid));
  if (change == kProcessExec || change == kLibrariesChanged) {
    changed_.emplace(static_cast<pid_t>(event.header.tgid),
                     static_cast<int64_t>(event.header.time_ns));
  }
}

void EventDecoder::Decode(const SampleEvent& event) {
  const EventHeader& header = event.header;
  const OptionalId callsite =
      stacks_.Of({.kernel = event.kernel_stack, .user = header.stack, .python = event.python_stack},
                 header.tgid);
  if (!callsite) return;  // counted where the stack was missed
  recorder_.AddSample(UnixNs(header.time_ns), processes_.Thread(header.tgid, header.tid),
                      *callsite);
}

}  // namespace gpuwhy
