// SPDX-License-Identifier: Apache-2.0
// Which process a number belongs to. Ingero writes thread ids into the pid column of context
// switches and wake-ups, and records a new thread exactly like a new process (process_fork). What
// tells them apart: a row whose pid and tid differ names a thread and its process; a number that
// allocated pages, exited, forked, called CUDA or did I/O as "pid" is a process; a fork target that
// never did is taken for a thread of the process that made it. Immutable after Read; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "collectors/ingero/source_file.h"

namespace gpuwhy::ingero {

class Owners {
 public:
  static Result<Owners> Read(const SourceFile& file, std::string_view node);

  // The process that `number` is, or is a thread of.
  int64_t ProcessOf(int64_t number) const;
  bool IsProcess(int64_t number) const { return ProcessOf(number) == number; }
  // Fork targets taken for threads for lack of any other trace of them.
  int64_t AssumedThreads() const;

 private:
  std::unordered_map<int64_t, int64_t> process_of_thread_;
  std::unordered_set<int64_t> processes_;
  std::unordered_map<int64_t, int64_t> fork_parents_;
};

}  // namespace gpuwhy::ingero
