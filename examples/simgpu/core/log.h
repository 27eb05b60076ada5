// SPDX-License-Identifier: Apache-2.0
// The ground truth: what was called when, and what the device did when, one file a process, made
// when SIMGPU_LOG is set. Rows wait in memory and are written in large blocks of whole lines, at
// the latest by the first call 100 ms later, and at the end of the process. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/visibility.h"

namespace gpuwhy::simgpu {

// What a call is about, as its caller knows it.
struct CallFacts {
  size_t bytes = 0;
  const char* kind = "-";
  const void* stream = nullptr;  // the handle that was given
};

class SIMGPU_SHARED Log {
 public:
  static Log& Get();

  struct Call {
    const char* name;  // names live for ever: literals, or interned
    int64_t entry_ns;
    int64_t exit_ns;
    CallFacts facts;
    int code;
  };
  struct DeviceOp {
    const char* engine;
    int64_t start_ns;
    int64_t end_ns;
    const char* name;
    size_t bytes;
    const void* stream;
  };
  void Add(const Call& call);
  void Add(const DeviceOp& op);
  void Flush();

 private:
  Log();
  void FlushLocked();
  void WriteOut();
  bool Open();
  void BeginLine(const char* first);
  void Text(const char* text);
  void Number(int64_t number);
  void Handle(const void* handle);
  void EndLine(int64_t now_ns);
  void StartAnewInChild();

  std::mutex mutex_;
  bool is_on_ = false;
  int fd_ = -1;
  int64_t flushed_ns_ = 0;
  std::string lines_;
};

// Runs `body` and notes the call. The caller is the exported function itself, so that a probe on it
// sees the same call.
template <typename Body>
auto Logged(const char* name, const CallFacts& facts, const Body& body) {
  const int64_t entry_ns = NowNs();
  const auto code = body();
  Log::Get().Add(Log::Call{.name = name,
                           .entry_ns = entry_ns,
                           .exit_ns = NowNs(),
                           .facts = facts,
                           .code = static_cast<int>(code)});
  return code;
}

}  // namespace gpuwhy::simgpu
