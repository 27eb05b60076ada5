// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/actors.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr size_t kNameLimit = 32;

std::string Text(const Row& row, int column) {
  return std::string(row.Text(column));
}

CaptureInfo ReadCapture(const Row& row) {
  return {.id = row.Int(0),
          .kind = Text(row, 1),
          .path = Text(row, 2),
          .host = Text(row, 3),
          .rank = row.OptionalInt(4),
          .world_size = row.OptionalInt(5),
          .cpu_count = row.OptionalInt(6),
          .memory_bytes = row.OptionalInt(7),
          .is_selective = row.Int(8) != 0,
          .tool_version = Text(row, 9),
          .start_ns = row.Int(10),
          .end_ns = row.Int(11)};
}

ProcessInfo ReadProcess(const Row& row) {
  return {.id = row.Int(0),
          .capture_id = row.Int(1),
          .pid = row.Int(2),
          .parent_id = row.Int(3),
          .name = Text(row, 4),
          .rank = row.OptionalInt(5),
          .start_ns = row.OptionalInt(6),
          .end_ns = row.OptionalInt(7)};
}

ThreadInfo ReadThread(const Row& row) {
  return {.id = row.Int(0),
          .process_id = row.Int(1),
          .tid = row.Int(2),
          .name = Text(row, 3),
          .start_ns = row.OptionalInt(4),
          .end_ns = row.OptionalInt(5)};
}

GpuInfo ReadGpu(const Row& row) {
  return {.id = row.Int(0),
          .capture_id = row.Int(1),
          .device_index = row.Int(2),
          .name = Text(row, 3),
          .uuid = Text(row, 4)};
}

LossInfo ReadLoss(const Row& row) {
  return {.name = Text(row, 0),
          .severity = Text(row, 1),
          .event_count = row.Int(2),
          .description = Text(row, 3),
          .advice = Text(row, 4)};
}

template <typename T>
Status ReadAll(const TraceDb& db, std::string_view sql, T (*read)(const Row&),
               std::vector<T>& out) {
  return db.Query(sql, {}, [&](const Row& row) { out.push_back(read(row)); });
}

template <typename T>
const T* Find(const std::unordered_map<int64_t, size_t>& positions, const std::vector<T>& all,
              int64_t id) {
  const auto it = positions.find(id);
  return it == positions.end() ? nullptr : &all[it->second];
}

}  // namespace

Result<Actors> Actors::Load(const TraceDb& db) {
  Actors actors;
  GPUWHY_RETURN_IF_ERROR(ReadAll(db,
                                 "SELECT id, kind, path, host, rank, world_size, cpu_count, "
                                 "memory_bytes, is_selective, tool_version, start_ns, end_ns "
                                 "FROM capture ORDER BY id",
                                 &ReadCapture, actors.captures_));
  GPUWHY_RETURN_IF_ERROR(ReadAll(db,
                                 "SELECT id, capture_id, pid, parent_id, name, rank, start_ns, "
                                 "end_ns FROM process ORDER BY id",
                                 &ReadProcess, actors.processes_));
  GPUWHY_RETURN_IF_ERROR(
      ReadAll(db, "SELECT id, process_id, tid, name, start_ns, end_ns FROM thread ORDER BY id",
              &ReadThread, actors.threads_));
  GPUWHY_RETURN_IF_ERROR(
      ReadAll(db, "SELECT id, capture_id, device_index, name, uuid FROM gpu ORDER BY id", &ReadGpu,
              actors.gpus_));
  GPUWHY_RETURN_IF_ERROR(
      ReadAll(db,
              "SELECT name, severity, sum(event_count), description, advice FROM loss "
              "GROUP BY name, severity ORDER BY severity, name",
              &ReadLoss, actors.losses_));
  for (size_t i = 0; i < actors.processes_.size(); ++i)
    actors.process_at_[actors.processes_[i].id] = i;
  for (size_t i = 0; i < actors.threads_.size(); ++i)
    actors.thread_at_[actors.threads_[i].id] = i;
  return actors;
}

const ProcessInfo* Actors::FindProcess(int64_t process_id) const {
  return Find(process_at_, processes_, process_id);
}

const ThreadInfo* Actors::FindThread(int64_t thread_id) const {
  return Find(thread_at_, threads_, thread_id);
}

const GpuInfo* Actors::FindGpu(int64_t gpu_id) const {
  const auto it = std::find_if(gpus_.begin(), gpus_.end(),
                               [&](const GpuInfo& gpu) { return gpu.id == gpu_id; });
  return it == gpus_.end() ? nullptr : &*it;
}

const ProcessInfo* Actors::ProcessOfThread(int64_t thread_id) const {
  const ThreadInfo* thread = FindThread(thread_id);
  return thread == nullptr ? nullptr : FindProcess(thread->process_id);
}

std::vector<const ProcessInfo*> Actors::ChildrenOf(int64_t process_id) const {
  std::vector<const ProcessInfo*> children;
  for (const ProcessInfo& process : processes_) {
    if (process.parent_id == process_id && process_id != 0) children.push_back(&process);
  }
  return children;
}

int64_t Actors::CpuCount() const {
  int64_t count = 0;
  for (const CaptureInfo& capture : captures_)
    count = std::max(count, capture.cpu_count.value_or(0));
  return count;
}

bool Actors::IsSelective() const {
  return std::any_of(captures_.begin(), captures_.end(),
                     [](const CaptureInfo& capture) { return capture.is_selective; });
}

std::string Actors::DescribeProcess(int64_t process_id) const {
  const ProcessInfo* process = FindProcess(process_id);
  if (process == nullptr) return "unknown process";
  const std::string name = CleanText(process->name, kNameLimit);
  return name.empty() ? fmt::format("process {}", process->pid)
                      : fmt::format("{} ({})", name, process->pid);
}

std::string Actors::DescribeThread(int64_t thread_id) const {
  const ThreadInfo* thread = FindThread(thread_id);
  if (thread == nullptr) return "unknown thread";
  const ProcessInfo* process = FindProcess(thread->process_id);
  const std::string owner = DescribeProcess(thread->process_id);
  if (process != nullptr && process->pid == thread->tid) return owner + " main thread";
  const std::string name = CleanText(thread->name, kNameLimit);
  return fmt::format("{} thread {}{}{}", owner, thread->tid, name.empty() ? "" : " ", name);
}

}  // namespace gpuwhy
