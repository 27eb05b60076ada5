// SPDX-License-Identifier: Apache-2.0
// What each (source, op) of an Ingero database means and becomes. Built in because Ingero's own
// lookup tables lack the graph calls, the newer copies and the summaries. API names are spelled as
// Ingero spells them (cudaStreamSync, cuMemAlloc), so that numbers can be compared with its own
// output; graph calls, which it does not name, get CUDA's names. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpuwhy::ingero {

inline constexpr int64_t kRuntime = 1;
inline constexpr int64_t kHost = 3;
inline constexpr int64_t kDriver = 4;
inline constexpr int64_t kGraph = 8;
inline constexpr int64_t kSchedSwitch = 1;
inline constexpr int64_t kSchedWakeup = 2;
inline constexpr int64_t kOomKill = 4;
inline constexpr int64_t kProcessExec = 5;
inline constexpr int64_t kProcessExit = 6;
inline constexpr int64_t kProcessFork = 7;
inline constexpr int64_t kPageAllocSummary = 20;
inline constexpr int64_t kSwitchSummary = 21;

enum class Becomes { kApiCall, kOffCpu, kHostEvent, kSummary };
enum class Bytes { kNone, kArg0, kArg1, kSectors };

struct Op {
  int64_t source;
  int64_t op;
  Becomes becomes;
  std::string_view name;  // API name, or host_event.kind
  Bytes bytes = Bytes::kNone;
  bool is_end_stamped = false;  // the timestamp is the end; else the start
  std::string_view detail;      // host_event.detail
};

// Null for an op that Ingero had not when this was written.
const Op* FindOp(int64_t source, int64_t op);
// Ingero's name of a source, for unknown ops: "HOST".
std::string_view SourceName(int64_t source);
constexpr bool IsApiSource(int64_t source) {
  return source == kRuntime || source == kDriver || source == kGraph;
}
// Bytes from the raw arguments; also valid for a sum of argument 0.
int64_t BytesOf(const Op& op, int64_t arg0, int64_t arg1);

}  // namespace gpuwhy::ingero
