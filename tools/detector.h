// SPDX-License-Identifier: Apache-2.0
// A detector looks for one cause. Each is a value made by Define() in tools/detectors/<name>.cc;
// the registry is generated. It declares the tables it needs and abstains, naming the missing
// collector, when they are empty. Severity goes by share of wall time lost: >= 15 % HIGH, >= 5 %
// MEDIUM, else INFO.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/base/result.h"
#include "tools/answer.h"

namespace gpuwhy {

enum class Severity { kInfo, kMedium, kHigh };
std::string_view NameOf(Severity severity);
Severity SeverityOfShare(int64_t lost_ns, int64_t wall_ns);

struct Finding {
  std::string detector;  // gpu-starved, as cases name it
  Severity severity = Severity::kInfo;
  std::string title;     // one sentence with the number
  int64_t start_ns = 0;  // window it speaks of
  int64_t end_ns = 0;
  int64_t lost_ns = 0;               // wall time it explains
  std::vector<Fact> evidence;        // numbers with units
  std::string evidence_sql;          // a query for run_sql whose result holds the main number
  std::vector<std::string> row_ids;  // "api_call:17"
  std::string counter_test;  // if this were (not) the cause, X would show; X shows / is absent
  std::string fix;
  std::string basis;                 // why we believe it: measured, paired, overlap only
  std::vector<std::string> missing;  // collectors that would tell more
};

// What a detector says when it has nothing: looked and found nothing, or could not look.
struct NoFinding {
  bool is_abstention = false;  // true: a needed collector is missing
  std::string reason;  // "needs kernel scheduling rows (sched_switch with reason and waker)"
};

using Detection = std::variant<std::vector<Finding>, NoFinding>;

class TraceFacts;  // tools/analysis/trace_facts.h: what several detectors need, computed once

struct Detector {
  std::string_view name;      // with hyphens; the file has underscores
  std::string_view question;  // one line
  Result<Detection> (*find)(const TraceFacts& facts) = nullptr;
};

}  // namespace gpuwhy

namespace gpuwhy::tools::detectors {
const std::vector<Detector>& AllDetectors();
}  // namespace gpuwhy::tools::detectors
