// SPDX-License-Identifier: Apache-2.0
#include "tests/support/detect.h"

#include <algorithm>
#include <memory>

#include "tests/support/required.h"
#include "tools/analysis/trace_facts.h"
#include "tools/json.h"

namespace gpuwhy {
Detection Detect(const TraceDb& db, std::string_view detector) {
  const Params params = Required(Params::Parse({}, Json()));
  const auto& all = tools::detectors::AllDetectors();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Detector& d) { return d.name == detector; });
  GPUWHY_CHECK(found != all.end());
  const auto facts = Required(TraceFacts::Load(
      {.db = db, .window = Required(ResolveWindow(db, params)), .stop = {}, .scope = {}}));
  return Required(found->find(*facts));
}

std::vector<Finding> FindingsOf(const TraceDb& db, std::string_view detector) {
  Detection detection = Detect(db, detector);
  auto* findings = std::get_if<std::vector<Finding>>(&detection);
  return findings == nullptr ? std::vector<Finding>() : std::move(*findings);
}

NoFinding SilenceOf(const TraceDb& db, std::string_view detector) {
  Detection detection = Detect(db, detector);
  auto* nothing = std::get_if<NoFinding>(&detection);
  return nothing == nullptr ? NoFinding() : std::move(*nothing);
}

bool EvidenceHolds(const TraceDb& db, const Finding& finding) {
  if (finding.evidence.empty() || finding.evidence_sql.empty()) return false;
  const auto* expected = std::get_if<int64_t>(&finding.evidence.front().value);
  bool is_there = false;
  const Status status = db.Query(finding.evidence_sql, {}, [&](const Row& row) {
    for (int i = 0; i < row.ColumnCount(); ++i)
      is_there = is_there || (expected != nullptr && row.Int(i) == *expected);
  });
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return status.ok() && is_there;
}

}  // namespace gpuwhy
