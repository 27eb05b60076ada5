// SPDX-License-Identifier: Apache-2.0
// What other tools concluded about the same trace, grouped by operation and severity, each with our
// verdict: the ruling-out rules applied to the calls that their conclusion speaks of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/analysis/findings.h"
#include "tools/analysis/trace_facts.h"

namespace gpuwhy {

enum class Verdict {
  kExplainedBySize,  // slow calls moved more bytes
  kStartUp,          // slow calls were first uses
  kTeardown,         // the operation happened only at the end
  kNotDerivable,     // the calls it speaks of are not in the file
  kNegligible,       // true perhaps, and too little to matter
  kVoluntaryWait,    // the cause it names is a thread that sleeps
  kOwnFootprint,     // the cause it names is the recorder's own I/O
  kSupported,        // a finding of ours says the same
  kNotConfirmed,     // nothing we know supports or refutes it
};

// "start-up effect": the verdict in a few words.
std::string_view NameOf(Verdict verdict);

struct ForeignVerdict {
  std::string tool;  // untrusted, like all text here but `reason`
  std::string operation;
  std::string severity;
  std::string cause;  // of the latest
  int64_t finding_count = 0;
  int64_t p50_ns = 0;
  int64_t p99_ns = 0;     // the largest
  double tail_ratio = 0;  // the largest
  Verdict verdict = Verdict::kNotConfirmed;
  std::string reason;                // one clause with the numbers; trusted
  std::vector<std::string> row_ids;  // rows it rests on
};

// HIGH first, then by number. `ours` may support theirs.
Result<std::vector<ForeignVerdict>> JudgeForeign(const TraceFacts& facts, const Findings& ours);

}  // namespace gpuwhy
