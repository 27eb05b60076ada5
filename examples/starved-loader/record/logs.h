// SPDX-License-Identifier: Apache-2.0
// What the processes of the workload note about themselves while they run: plain records in memory
// shared with the parent, so that noting costs no system call. Each log has one writer; the parent
// reads after the writer has exited. A full log counts what it drops.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "schema/base/result.h"

namespace gpuwhy::starved_loader {

inline constexpr int kNoWaker = -1;
inline constexpr int kMaxStackDepth = 24;

enum class WaitReason : int32_t {
  kAsked,      // the thread waited in a system call for another one
  kPreempted,  // it wanted to run and the kernel counted run-queue time
  kUnknown,    // it did not run and the kernel counted no run-queue time (a hypervisor, for one)
};

struct WaitRecord {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t runnable_ns = 0;
  WaitReason reason = WaitReason::kAsked;
  int32_t waker = kNoWaker;  // number of the worker whose message ended the wait
};

struct SpanRecord {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
};

struct StackRecord {
  int64_t time_ns = 0;
  int64_t depth = 0;
  void* addresses[kMaxStackDepth] = {};  // innermost first
};

template <typename Record, size_t kCapacity>
struct Log {
  size_t count = 0;
  size_t dropped_count = 0;
  Record records[kCapacity];

  void Add(const Record& record) {
    if (count == kCapacity) {
      ++dropped_count;
      return;
    }
    records[count++] = record;
  }
  std::span<const Record> all() const { return {records, count}; }
};

// Of one worker.
struct WorkerLog {
  pid_t pid = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  Log<WaitRecord, 65536> waits;
  Log<SpanRecord, 16384> batches;
  Log<StackRecord, 8192> stacks;
};

// Shared with children forked later; unmapped when the process ends.
inline Result<void*> MapShared(size_t size_bytes) {
  void* memory =
      mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Unavailable("cannot map shared memory for the workload");
  return memory;
}

template <typename T>
Result<T*> MakeShared() {
  GPUWHY_ASSIGN_OR_RETURN(void* memory, MapShared(sizeof(T)));
  return new (memory) T();
}

}  // namespace gpuwhy::starved_loader
