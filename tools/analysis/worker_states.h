// SPDX-License-Identifier: Apache-2.0
// What the worker processes of a feeding process did, from their scheduling rows: how long their
// main threads were on a core, ready without one, at a disk, or waiting for something else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/analysis/trace_facts.h"

namespace gpuwhy {

struct WorkerStates {
  bool is_known = false;  // there are workers, and their scheduling was kept as rows
  int64_t worker_count = 0;
  int64_t life_ns = 0;  // sum over workers, within the interval
  int64_t off_core_ns = 0;
  int64_t ready_ns = 0;  // part of off_core_ns: ready and waiting for a core
  int64_t disk_ns = 0;   // part of off_core_ns: waiting for a disk or a fault
  // Most sampled: the innermost Python function of a stack, or native one where there is none.
  std::string top_function;  // cleaned; empty without samples
  double top_function_ratio = 0;

  int64_t busy_ns() const { return life_ns - off_core_ns + ready_ns; }  // wants a core
};

// `only`: of the children, those to look at; empty for all.
Result<WorkerStates> WorkerStatesIn(const TraceFacts& facts, int64_t parent_id, Interval interval,
                                    const std::vector<int64_t>& only = {});

}  // namespace gpuwhy
