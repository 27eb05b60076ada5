// SPDX-License-Identifier: Apache-2.0
// What rows refer to: processes, threads, devices, frames and callsites, each stored once.
#include <fmt/format.h>

#include "collectors/recorder.h"
#include "collectors/row_binder.h"

namespace gpuwhy {

int64_t Recorder::ProcessOf(int64_t pid) {
  int64_t& id = processes_[pid];
  if (id == 0)
    id = Insert("INSERT INTO process (capture_id, pid) VALUES (?, ?)", {capture_id_, pid});
  return id;
}

int64_t Recorder::ThreadOf(int64_t process_id, int64_t tid) {
  int64_t& id = threads_[{process_id, tid}];
  if (id == 0) {
    id = Insert("INSERT INTO thread (process_id, tid) VALUES (?, ?)", {process_id, tid});
    thread_process_[id] = process_id;
  }
  return id;
}

int64_t Recorder::GpuOf(int64_t device_index) {
  int64_t& id = gpus_[device_index];
  if (id == 0) {
    id = Insert("INSERT INTO gpu (capture_id, device_index) VALUES (?, ?)",
                {capture_id_, device_index});
  }
  return id;
}

void Recorder::EndProcess(int64_t pid) {
  processes_.erase(pid);
}

void Recorder::EndThread(int64_t process_id, int64_t tid) {
  threads_.erase({process_id, tid});
}

void Recorder::ForgetThread(int64_t process_id, int64_t tid) {
  const auto known = threads_.find({process_id, tid});
  if (known == threads_.end()) return;
  thread_process_.erase(known->second);
  threads_.erase(known);
}

void Recorder::SetProcess(int64_t process_id, const ProcessFacts& facts) {
  Insert(
      "UPDATE process SET parent_id = coalesce(?2, parent_id), name = coalesce(?3, name), "
      "cmdline = coalesce(?4, cmdline), container = coalesce(?5, container), "
      "rank = coalesce(?6, rank), start_ns = coalesce(?7, start_ns), "
      "end_ns = coalesce(?8, end_ns), pid = coalesce(?9, pid) WHERE id = ?1",
      {process_id, Value(facts.parent_id), Value(facts.name), Value(facts.cmdline),
       Value(facts.container), Value(facts.rank), Value(facts.start_ns), Value(facts.end_ns),
       Value(facts.pid)});
}

void Recorder::SetThread(int64_t thread_id, const ThreadFacts& facts) {
  Insert(
      "UPDATE thread SET name = coalesce(?2, name), start_ns = coalesce(?3, start_ns), "
      "end_ns = coalesce(?4, end_ns) WHERE id = ?1",
      {thread_id, Value(facts.name), Value(facts.start_ns), Value(facts.end_ns)});
}

void Recorder::SetGpu(int64_t gpu_id, const GpuFacts& facts) {
  Insert(
      "UPDATE gpu SET uuid = coalesce(?2, uuid), name = coalesce(?3, name), "
      "sm_count = coalesce(?4, sm_count), memory_bytes = coalesce(?5, memory_bytes), "
      "compute_capability = coalesce(?6, compute_capability) WHERE id = ?1",
      {gpu_id, Value(facts.uuid), Value(facts.name), Value(facts.sm_count),
       Value(facts.memory_bytes), Value(facts.compute_capability)});
}

int64_t Recorder::InternFrame(const FrameRow& frame) {
  const std::string key = fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}", frame.kind, frame.function_name,
                                      frame.module, frame.file, frame.line.value_or(-1));
  int64_t& id = frames_[key];
  if (id == 0) {
    id =
        Insert("INSERT INTO frame (kind, function_name, module, file, line) VALUES (?, ?, ?, ?, ?)",
               {frame.kind, frame.function_name, Value(frame.module), Value(frame.file),
                Value(frame.line)});
  }
  return id;
}

int64_t Recorder::InternCallsite(std::span<const int64_t> frame_ids) {
  int64_t parent = 0;
  for (const int64_t frame : frame_ids) {
    int64_t& id = callsites_[{parent, frame}];
    if (id == 0) {
      id = Insert("INSERT INTO callsite (parent_id, frame_id) VALUES (?, ?)",
                  {parent == 0 ? SqlValue(std::monostate()) : SqlValue(parent), frame});
    }
    parent = id;
  }
  return parent;
}

}  // namespace gpuwhy
