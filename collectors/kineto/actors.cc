// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/actors.h"

#include <fmt/format.h>

namespace gpuwhy::kineto {
namespace {

// Ids that no system gives out, for threads and processes that have only a text or none at all.
constexpr int64_t kFirstTextId = -1'000'000'000;
constexpr int64_t kAsyncTid = -2'000'000'000;
constexpr int64_t kFirstDeviceTid = -3'000'000'000;
constexpr int64_t kTidsPerDevice = 10'000'000;
// Since 2026-04 libkineto draws synchronisation on tid = stream + this.
constexpr int64_t kSyncTidOffset = 1'000'000;

}  // namespace

int64_t Actors::NumberOf(const TraceId& id) {
  if (!id.is_text) return id.number.value_or(0);
  const auto it = text_ids_.find(id.text);
  if (it != text_ids_.end()) return it->second;
  const int64_t number = kFirstTextId - static_cast<int64_t>(text_ids_.size());
  text_ids_.emplace(id.text, number);
  return number;
}

int64_t Actors::MainProcess() {
  if (main_process_ == 0) main_process_ = recorder_.ProcessOf(0);
  return main_process_;
}

int64_t Actors::Process(int64_t pid) {
  if (const auto it = processes_.find(pid); it != processes_.end()) return it->second;
  int64_t id = 0;
  if (!is_main_pid_known_ && main_process_ != 0) {
    // GPU rows came first and made the main process without knowing its pid.
    id = main_process_;
    recorder_.SetProcess(id, {.pid = pid});
  } else {
    // Pid 0 may stand for the main process until its pid is known.
    recorder_.EndProcess(pid);
    id = recorder_.ProcessOf(pid);
  }
  if (!is_main_pid_known_) {
    main_process_ = id;
    main_pid_ = pid;
    is_main_pid_known_ = true;
  }
  processes_.emplace(pid, id);
  return id;
}

int64_t Actors::Thread(int64_t pid, int64_t tid) {
  const auto hash = static_cast<uint64_t>(tid) * 31 + static_cast<uint64_t>(pid);
  Slot& slot = cache_.at(hash % cache_.size());
  if (slot.thread_id != 0 && slot.pid == pid && slot.tid == tid) return slot.thread_id;
  int64_t& id = threads_[{pid, tid}];
  if (id == 0) id = recorder_.ThreadOf(Process(pid), tid);
  slot = {pid, tid, id};
  return id;
}

int64_t Actors::HostThread(const TraceEvent& event) {
  return Thread(NumberOf(event.pid), NumberOf(event.tid));
}

int64_t Actors::NamedThread(int64_t process_id, int64_t tid, const std::string& name) {
  int64_t& id = threads_[{-process_id, tid}];
  if (id == 0) {
    id = recorder_.ThreadOf(process_id, tid);
    recorder_.SetThread(id, {.name = name});
  }
  return id;
}

int64_t Actors::OverheadThread(const TraceEvent& event) {
  return NamedThread(MainProcess(), NumberOf(event.tid) + kFirstDeviceTid - kTidsPerDevice,
                     "profiler overhead");
}

int64_t Actors::DeviceThread(const TraceEvent& event) {
  const int64_t device = DeviceOf(event);
  const int64_t stream = StreamOf(event).value_or(0);
  return NamedThread(MainProcess(), kFirstDeviceTid + device * kTidsPerDevice + stream,
                     fmt::format("GPU {} stream {}", device, stream));
}

int64_t Actors::AsyncThread(const TraceEvent& event) {
  const int64_t process = Process(NumberOf(event.pid));
  return NamedThread(process, kAsyncTid, "async spans");
}

int64_t Actors::DeviceOf(const TraceEvent& event) {
  return event.args.device ? *event.args.device : event.pid.number.value_or(0);
}

int64_t Actors::Gpu(const TraceEvent& event) {
  const int64_t device = DeviceOf(event);
  int64_t& id = gpus_[device];
  if (id == 0) id = recorder_.GpuOf(device);
  return id;
}

std::optional<int64_t> Actors::StreamOf(const TraceEvent& event) {
  if (event.args.stream) return event.args.stream;
  const auto tid = event.tid.number;
  return tid && *tid >= kSyncTidOffset ? *tid - kSyncTidOffset : tid;
}

void Actors::Name(const TraceEvent& event) {
  if (event.args.name.empty()) return;
  const int64_t pid = NumberOf(event.pid);
  if (event.name == "process_name") process_names_[pid] = event.args.name;
  if (event.name == "thread_name") thread_names_[{pid, NumberOf(event.tid)}] = event.args.name;
}

void Actors::Finish(const TraceMetadata& metadata, std::optional<int64_t> rank) {
  for (const auto& [pid, id] : processes_) {
    const auto name = process_names_.find(pid);
    recorder_.SetProcess(id,
                         {.name = name == process_names_.end() ? "" : name->second, .rank = rank});
  }
  for (const auto& [key, id] : threads_) {
    const auto name = thread_names_.find(key);
    if (name != thread_names_.end()) recorder_.SetThread(id, {.name = name->second});
  }
  // A thread known only by a text is called by it.
  for (const auto& [text, number] : text_ids_) {
    for (const auto& [key, id] : threads_) {
      if (key.second == number) recorder_.SetThread(id, {.name = text});
    }
    if (const auto process = processes_.find(number); process != processes_.end()) {
      recorder_.SetProcess(process->second, {.name = text});
    }
  }
  for (const TraceMetadata::Device& device : metadata.devices) {
    const auto gpu = gpus_.find(device.index);
    if (gpu != gpus_.end()) recorder_.SetGpu(gpu->second, device.facts);
  }
}

}  // namespace gpuwhy::kineto
