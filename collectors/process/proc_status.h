// SPDX-License-Identifier: Apache-2.0
// What /proc tells about one process: who it is, when it started, its threads and namespaces. A
// process may end at any moment: every function then returns kNotFound. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

struct ProcessStat {
  std::string name;  // "comm": at most 15 bytes
  pid_t parent_pid = 0;
  int64_t start_ns = 0;  // CLOCK_BOOTTIME, in steps of one tick (10 ms)
};

struct ThreadName {
  pid_t tid = 0;
  std::string name;
};

// "42 (a) b) S 1 42 ...": the name may hold anything, parentheses too.
std::optional<ProcessStat> ParseStat(std::string_view text, int64_t ticks_per_second);
Result<ProcessStat> ReadStat(pid_t pid);

// The process that a thread belongs to.
Result<pid_t> ReadProcessOfThread(pid_t tid);

// By thread id. Threads that end meanwhile are absent.
Result<std::vector<ThreadName>> ReadThreads(pid_t pid);

// The inode that names the mount namespace.
Result<uint64_t> ReadMountNamespace(pid_t pid);
// The process id as the process itself sees it, which names its /tmp/perf-PID.map.
Result<pid_t> ReadInnermostPid(pid_t pid);

}  // namespace gpuwhy
