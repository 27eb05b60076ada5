// SPDX-License-Identifier: Apache-2.0
#include "collectors/ingero/owners.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpuwhy::ingero {
namespace {

// Rows of these operations have a thread id, or the other side's id, in the pid column.
constexpr std::string_view kPidIsProcess = "NOT (source = 3 AND op IN (1, 2, 21))";

}  // namespace

Result<Owners> Owners::Read(const SourceFile& file, std::string_view node) {
  Owners owners;
  const std::string filter = file.NodeFilter("events");
  GPUWHY_RETURN_IF_ERROR(
      file.db().Query(fmt::format("SELECT DISTINCT pid, iif(source = 3 AND op = 20, pid, tid) "
                                  "FROM events WHERE {}{}",
                                  kPidIsProcess, filter),
                      {node}, [&](const Row& row) {
                        owners.processes_.insert(row.Int(0));
                        if (row.Int(0) != row.Int(1)) {
                          owners.process_of_thread_[row.Int(1)] = row.Int(0);
                        }
                      }));
  if (file.Has("events", "arg1")) {
    GPUWHY_RETURN_IF_ERROR(file.db().Query(
        fmt::format("SELECT pid, arg1 FROM events WHERE source = 3 AND op = 7{} "
                    "ORDER BY timestamp",
                    filter),
        {node}, [&](const Row& row) { owners.fork_parents_[row.Int(1)] = row.Int(0); }));
  }
  if (!file.Has("event_aggregates", "pid")) return owners;
  GPUWHY_RETURN_IF_ERROR(file.db().Query(
      fmt::format("SELECT DISTINCT pid FROM event_aggregates WHERE {}", kPidIsProcess), {},
      [&](const Row& row) { owners.processes_.insert(row.Int(0)); }));
  return owners;
}

int64_t Owners::ProcessOf(int64_t number) const {
  if (processes_.contains(number)) return number;
  if (const auto it = process_of_thread_.find(number); it != process_of_thread_.end()) {
    return it->second;
  }
  const auto it = fork_parents_.find(number);
  return it == fork_parents_.end() ? number : it->second;
}

int64_t Owners::AssumedThreads() const {
  return std::count_if(fork_parents_.begin(), fork_parents_.end(), [&](const auto& fork) {
    return !processes_.contains(fork.first) && !process_of_thread_.contains(fork.first);
  });
}

}  // namespace gpuwhy::ingero
