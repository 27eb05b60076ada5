// SPDX-License-Identifier: Apache-2.0
#include "collectors/ingero/actors.h"

#include <fmt/format.h>

#include "collectors/ingero/losses.h"

namespace gpuwhy::ingero {

int64_t Actors::ProcessOf(int64_t pid) {
  const int64_t id = recorder_.ProcessOf(pid);
  pids_.emplace(id, pid);
  return id;
}

int64_t Actors::ThreadOf(int64_t pid, int64_t tid) {
  const int64_t process_id = ProcessOf(pid);
  const int64_t id = recorder_.ThreadOf(process_id, tid);
  threads_.emplace(id, Thread{process_id, tid});
  return id;
}

int64_t Actors::Fork(int64_t parent_pid, int64_t child, int64_t time_ns) {
  const bool is_process = owners_.IsProcess(child);
  if (exited_.erase(child) > 0) {
    if (is_process) recorder_.EndProcess(child);
    if (!is_process) recorder_.EndThread(ProcessOf(parent_pid), child);
  }
  const int64_t thread_id = ThreadOf(is_process ? child : parent_pid, child);
  recorder_.SetThread(thread_id, {.name = {}, .start_ns = time_ns, .end_ns = {}});
  if (is_process && child != parent_pid) {
    ProcessFacts facts;
    facts.parent_id = ProcessOf(parent_pid);
    facts.start_ns = time_ns;
    parents_[ProcessOf(child)] = *facts.parent_id;
    recorder_.SetProcess(ProcessOf(child), facts);
  }
  return thread_id;
}

// Ingero has one exit per thread. The main thread's says that the process ends, but others may
// follow it.
void Actors::Exit(int64_t pid, int64_t tid, int64_t time_ns) {
  recorder_.SetThread(ThreadOf(pid, tid), {.name = {}, .start_ns = {}, .end_ns = time_ns});
  exited_.insert(tid);
  if (!exited_.contains(pid)) return;
  ProcessFacts facts;
  facts.end_ns = time_ns;
  recorder_.SetProcess(ProcessOf(pid), facts);
}

// The comm of a context switch, of a wake-up and of block I/O is that of whoever was on the core.
Status Actors::ReadComms(const SourceFile& file, std::string_view node) {
  if (!file.Has("events", "comm")) return {};
  return file.db().Query(
      fmt::format("SELECT tid, comm, max(timestamp) FROM events WHERE comm != '' AND (source IN "
                  "(1, 4, 7, 8) OR source = 3 AND op IN (3, 5, 7)){} GROUP BY tid",
                  file.NodeFilter("events")),
      {node}, [&](const Row& row) { names_[row.Int(0)] = row.Text(1); });
}

Status Actors::ReadProcessNames(const SourceFile& file) {
  if (!file.Has("process_names", "name") || !file.Has("process_names", "pid")) return {};
  std::unordered_set<int64_t> ambiguous;
  if (file.Nodes().size() > 1) {
    GPUWHY_RETURN_IF_ERROR(
        file.db().Query("SELECT pid FROM events GROUP BY pid HAVING count(DISTINCT node) > 1", {},
                        [&](const Row& row) { ambiguous.insert(row.Int(0)); }));
  }
  return file.db().Query("SELECT pid, name FROM process_names", {}, [&](const Row& row) {
    if (ambiguous.contains(row.Int(0))) {
      recorder_.Count(kNamesAmbiguous, 1, {}, row.Text(1));
    } else {
      names_.try_emplace(row.Int(0), row.Text(1));
    }
  });
}

// The control group of a context switch is that of the thread that left the core.
Status Actors::ReadContainers(const SourceFile& file, std::string_view node) {
  if (!file.Has("cgroup_metadata", "container_id") || !file.Has("cgroup_metadata", "cgroup_path") ||
      !file.Has("events", "cgroup_id")) {
    return {};
  }
  return file.db().Query(
      fmt::format("SELECT e.pid, iif(c.container_id != '', c.container_id, c.cgroup_path) FROM "
                  "(SELECT DISTINCT pid, cgroup_id FROM events WHERE cgroup_id != 0 AND NOT "
                  "(source = 3 AND op IN (1, 2, 21)){}) e JOIN cgroup_metadata c USING (cgroup_id)",
                  file.NodeFilter("events")),
      {node}, [&](const Row& row) { containers_.try_emplace(row.Int(0), row.Text(1)); });
}

Status Actors::ReadRanks(const SourceFile& file, std::string_view node) {
  if (!file.Has("events", "rank")) return {};
  return file.db().Query(
      fmt::format("SELECT DISTINCT pid, rank FROM events WHERE rank IS NOT NULL AND NOT "
                  "(source = 3 AND op IN (1, 2, 21)){}",
                  file.NodeFilter("events")),
      {node}, [&](const Row& row) { ranks_[row.Int(0)] = row.Int(1); });
}

// A child without a name has that of the process that forked it, as the kernel copies it.
std::string Actors::NameOfProcess(int64_t process_id) const {
  constexpr int kMaxDepth = 64;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const int64_t pid = pids_.at(process_id);
    if (pid == 0) return "swapper";
    if (const auto it = names_.find(pid); it != names_.end()) return it->second;
    const auto parent = parents_.find(process_id);
    if (parent == parents_.end()) break;
    process_id = parent->second;
  }
  return {};
}

void Actors::Write() {
  for (const auto& [id, pid] : pids_) {
    ProcessFacts facts;
    facts.name = NameOfProcess(id);
    if (const auto it = containers_.find(pid); it != containers_.end())
      facts.container = it->second;
    if (const auto it = ranks_.find(pid); it != ranks_.end()) facts.rank = it->second;
    recorder_.SetProcess(id, facts);
  }
  for (const auto& [id, thread] : threads_) {
    const auto it = names_.find(thread.tid);
    if (it != names_.end())
      recorder_.SetThread(id, {.name = it->second, .start_ns = {}, .end_ns = {}});
  }
}

Status Actors::Describe(const SourceFile& file, std::string_view node) {
  GPUWHY_RETURN_IF_ERROR(ReadComms(file, node));
  GPUWHY_RETURN_IF_ERROR(ReadProcessNames(file));
  GPUWHY_RETURN_IF_ERROR(ReadContainers(file, node));
  GPUWHY_RETURN_IF_ERROR(ReadRanks(file, node));
  Write();
  if (owners_.AssumedThreads() > 0) recorder_.Count(kThreadAssumed, owners_.AssumedThreads());
  return {};
}

}  // namespace gpuwhy::ingero
