// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/process_book.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "collectors/ebpf/process_facts.h"
#include "collectors/process/proc_status.h"

namespace gpuwhy {
namespace {

std::string CommOf(const ProcessEvent& event) {
  return {event.comm, strnlen(event.comm, sizeof event.comm)};
}

}  // namespace

int64_t ProcessBook::Follow(uint32_t tgid) {
  others_.erase(tgid);
  return Process(tgid);
}

int64_t ProcessBook::Process(uint32_t tgid) {
  if (const auto known = processes_.find(tgid); known != processes_.end()) return known->second;
  ProcessFacts facts = ReadProcessFacts(static_cast<pid_t>(tgid));
  const auto parent = processes_.find(ParentOf(static_cast<pid_t>(tgid)));
  if (parent != processes_.end()) facts.parent_id = parent->second;
  const int64_t row = AddProcess(tgid, facts);
  if (const auto threads = ReadThreads(static_cast<pid_t>(tgid)); threads.ok()) {
    for (const ThreadName& thread : threads.value()) {
      AddThread(tgid, static_cast<uint32_t>(thread.tid), {.name = thread.name});
    }
  }
  return row;
}

int64_t ProcessBook::Thread(uint32_t tgid, uint32_t tid) {
  const auto known = threads_.find({tgid, tid});
  if (known != threads_.end()) return known->second;
  Process(tgid);
  if (const auto made = threads_.find({tgid, tid}); made != threads_.end()) return made->second;
  return AddThread(tgid, tid, {});
}

OptionalId ProcessBook::OtherThread(uint32_t tgid, uint32_t tid) {
  if (tid == 0) return {};
  if (const auto known = threads_.find({tgid, tid}); known != threads_.end()) return known->second;
  struct OtherThread other {};
  if (IsFollowed(tgid) || !look_up_(tid, other) || other.tgid != tgid) return Thread(tgid, tid);
  const std::string name(other.comm, strnlen(other.comm, sizeof other.comm));
  if (!processes_.contains(tgid)) {
    ProcessFacts facts = ReadProcessFacts(static_cast<pid_t>(tgid));
    if (facts.name.empty()) facts.name = name;
    facts.cmdline.clear();  // nobody asked to record it: its name is enough
    AddProcess(tgid, facts);
    others_.insert(tgid);
  }
  return AddThread(tgid, tid, {.name = name});
}

int64_t ProcessBook::AddProcess(uint32_t tgid, const ProcessFacts& facts) {
  const int64_t row = recorder_.ProcessOf(tgid);
  processes_[tgid] = row;
  recorder_.SetProcess(row, facts);
  return row;
}

int64_t ProcessBook::AddThread(uint32_t tgid, uint32_t tid, const ThreadFacts& facts) {
  const int64_t row = recorder_.ThreadOf(processes_.at(tgid), tid);
  threads_[{tgid, tid}] = row;
  recorder_.SetThread(row, facts);
  return row;
}

void ProcessBook::OnChange(const ProcessEvent& event) {
  switch (static_cast<ProcessChange>(event.header.sub)) {
    case kProcessFork:
    case kThreadStart:
      return OnFork(event);
    case kProcessExec:
      return OnExec(event);
    case kThreadExit:
    case kProcessExit:
      return OnExit(event);
    case kThreadRename:
      return OnRename(event);
    case kLibrariesChanged:
      return;  // changes no row
  }
}

void ProcessBook::OnFork(const ProcessEvent& event) {
  const auto [time_ns, tgid, tid] = std::tuple(
      static_cast<int64_t>(event.header.time_ns) + offset_ns_, event.header.tgid, event.header.tid);
  const int64_t parent_thread = Thread(event.parent_tgid, event.parent_tid);
  if (event.header.sub == kProcessFork) {
    recorder_.EndProcess(tgid);  // what had this number before
    others_.erase(tgid);
    ProcessFacts facts{.parent_id = processes_.at(event.parent_tgid)};
    facts.name = CommOf(event);
    facts.start_ns = time_ns;
    AddProcess(tgid, facts);
  }
  recorder_.EndThread(processes_.at(tgid), tid);
  const int64_t thread = AddThread(tgid, tid, {.name = CommOf(event), .start_ns = time_ns});
  recorder_.Add(HostEventRow{
      .start_ns = time_ns, .thread_id = parent_thread, .other_thread_id = thread, .kind = "fork"});
}

// The same process under a new command line; its new name comes before.
void ProcessBook::OnExec(const ProcessEvent& event) {
  const int64_t process = Process(event.header.tgid);
  ProcessFacts facts = ReadProcessFacts(static_cast<pid_t>(event.header.tgid));
  facts.name = CommOf(event);
  recorder_.SetProcess(process, facts);
  recorder_.SetThread(Thread(event.header.tgid, event.header.tid), {.name = facts.name});
  AddInstant(event, "exec", {});
}

// A process has the name of its main thread. One that no row has named yet is read when it is.
void ProcessBook::OnRename(const ProcessEvent& event) {
  const auto [tgid, tid] = std::pair(event.header.tgid, event.header.tid);
  const auto thread = threads_.find({tgid, tid});
  if (thread != threads_.end()) recorder_.SetThread(thread->second, {.name = CommOf(event)});
  const auto process = processes_.find(tgid);
  if (process == processes_.end() || tid != tgid) return;
  ProcessFacts facts;
  facts.name = CommOf(event);
  recorder_.SetProcess(process->second, facts);
}

void ProcessBook::OnExit(const ProcessEvent& event) {
  const bool is_process = event.header.sub == kProcessExit;
  AddInstant(event, is_process ? "exit" : "thread_exit", {});
  const int64_t time_ns = static_cast<int64_t>(event.header.time_ns) + offset_ns_;
  const int64_t process = Process(event.header.tgid);
  const int64_t thread = Thread(event.header.tgid, event.header.tid);
  recorder_.SetThread(thread, {.end_ns = time_ns});
  ended_.push_back({{event.header.tgid, event.header.tid}, thread, is_process});
  if (is_process) recorder_.SetProcess(process, {.end_ns = time_ns});
}

void ProcessBook::FindEndedOthers() {
  for (const auto& [key, row] : threads_) {
    if (!others_.contains(key.tgid)) continue;
    const auto [tgid, tid] = std::pair(static_cast<pid_t>(key.tgid), static_cast<pid_t>(key.tid));
    const bool is_process = kill(tgid, 0) != 0 && errno == ESRCH;
    if (is_process || (tgkill(tgid, tid, 0) != 0 && errno == ESRCH))
      ended_.push_back({key, row, is_process});
  }
}

std::unordered_set<uint32_t> ProcessBook::ForgetEnded() {
  FindEndedOthers();
  std::unordered_set<uint32_t> processes;
  for (const Ended& ended : std::exchange(ended_earlier_, std::exchange(ended_, {}))) {
    const auto known = threads_.find(ended.key);
    if (known == threads_.end() || known->second != ended.row) continue;
    recorder_.ForgetThread(processes_.at(ended.key.tgid), ended.key.tid);
    threads_.erase(known);
    if (ended.is_process) processes.insert(ended.key.tgid);
  }
  for (const uint32_t tgid : processes) {
    recorder_.EndProcess(tgid);
    processes_.erase(tgid);
    others_.erase(tgid);
  }
  std::erase_if(threads_, [&](const auto& entry) { return processes.contains(entry.first.tgid); });
  return processes;
}

void ProcessBook::AddInstant(const ProcessEvent& event, std::string_view kind, OptionalId other) {
  HostEventRow row;
  row.start_ns = static_cast<int64_t>(event.header.time_ns) + offset_ns_;
  row.thread_id = Thread(event.header.tgid, event.header.tid);
  row.other_thread_id = other;
  row.kind = kind;
  recorder_.Add(row);
}

}  // namespace gpuwhy
