// SPDX-License-Identifier: Apache-2.0
// The calls of a recorded run, to be compared with what the simulated GPU wrote down itself.
#pragma once

#include <map>
#include <string>

#include "tests/collectors/ebpf/recorded.h"

namespace gpuwhy {

struct StoredCall {
  int64_t start_ns, duration_ns, tid, bytes, code, parent_id;
  int64_t stream;    // -1: none
  std::string kind;  // column copy_kind
};
using StoredCalls = std::multimap<std::string, StoredCall>;  // by name

StoredCalls ReadCalls(const RecordedRun& run);
// The stored call that lies around this one of the log: the probes are outside of the function.
const StoredCall* Around(const StoredCalls& calls, const TrueCall& truth, int64_t offset_ns);

}  // namespace gpuwhy
