// SPDX-License-Identifier: Apache-2.0
// The first line of a sample as `perf script` prints it:
//   spin 16613  3188.091180:   10101010 cpu-clock:ppp:
//   iperf 27409/28744 [000] 441995.133575: cpu-clock:
//   ET_NET 0 21332 [002] 186448.846888:    1008373 cycles:   67e2f0 main+0x1 (/usr/bin/x)
//   java 19983 cycles:
// The thread name may hold spaces, digits and brackets, so it is what is left when the fields
// before the time (or, without a time, before the event) are taken away. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuwhy::perf {

struct SampleHeader {
  std::string_view comm;
  std::optional<int64_t> pid;
  int64_t tid = 0;
  std::optional<int64_t> time_ns;  // of the recorded machine's clock
  bool has_period = false;
  std::string_view event;  // with its modifiers, without the last colon; empty for a branch
  std::string_view rest;   // what follows the event: a frame, the text of a tracepoint, nothing
};

std::optional<SampleHeader> ParseSampleHeader(std::string_view line);

// "sched:sched_switch", not "cycles:ppp".
bool IsTracepoint(std::string_view event);

// A branch of a hardware trace: "call foo 7f10 bar+0x3 (/lib/x.so)" in place of an event.
bool IsBranch(const SampleHeader& header);

}  // namespace gpuwhy::perf
