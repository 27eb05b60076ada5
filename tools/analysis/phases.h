// SPDX-License-Identifier: Apache-2.0
// Long idle time in phases that a reader can follow: neighbouring gaps during which the same kind
// of host work went on (with or without worker processes) make one phase; what came before the
// first gap, once warm, is the busy phase to compare with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/analysis/host_activity.h"
#include "tools/analysis/idle_picture.h"

namespace gpuwhy {

struct Phase {
  char letter = 'A';
  Interval interval;
  bool is_idle = false;
  int64_t idle_ns = 0;
  int64_t longest_gap_ns = 0;
  int64_t gap_count = 0;
  std::vector<Worker> workers;
  OffCpuTime feeder;  // what the feeding thread did
  CpuLoad cpu;
  int64_t call_count = 0;  // launches and copies begun in the phase
  int64_t copied_bytes = 0;
};

// Empty when idle time cannot be accounted for or there is none worth listing.
Result<std::vector<Phase>> PhasesOf(const TraceFacts& facts, const IdlePicture& picture);

// "2 workers used 85 % ...": the share of their life that workers were on a core or ready for one,
// voluntary waits left out; 0 when not recorded.
double WorkerCpuShare(const Phase& phase);
// The share of the phase during which the feeding thread was on a core; 0 when not recorded.
double FeederCpuShare(const Phase& phase);

// "B +0.641..+50.243 s: ..." in one line.
std::string DescribePhase(const TraceFacts& facts, const IdlePicture& picture, const Phase& phase);

std::string CountOfGaps(int64_t count);  // "1 gap", "7 gaps"
// "+0.641 s" from the start of the trace.
std::string Instant(const TraceFacts& facts, int64_t time_ns);
std::string Percent(double ratio);
double RatioOf(int64_t part, int64_t whole);

}  // namespace gpuwhy
