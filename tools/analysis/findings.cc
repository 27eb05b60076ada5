// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gpuwhy {
namespace {

void Add(const Detector& detector, const Detection& detection, Findings& findings) {
  if (const auto* nothing = std::get_if<NoFinding>(&detection)) {
    auto& silences = nothing->is_abstention ? findings.abstentions : findings.not_found;
    silences.push_back({.detector = std::string(detector.name), .reason = nothing->reason});
    return;
  }
  for (const Finding& finding : std::get<std::vector<Finding>>(detection))
    findings.found.push_back({.finding = finding});
}

void SortAndName(std::vector<NamedFinding>& found) {
  std::stable_sort(found.begin(), found.end(), [](const NamedFinding& a, const NamedFinding& b) {
    if (a.finding.severity != b.finding.severity) return a.finding.severity > b.finding.severity;
    return a.finding.lost_ns > b.finding.lost_ns;
  });
  std::map<std::string, int> numbers;
  for (NamedFinding& named : found)
    named.id = fmt::format("{}-{}", named.finding.detector, ++numbers[named.finding.detector]);
}

}  // namespace

Result<Findings> FindAll(const TraceFacts& facts, std::string_view only,
                         const DetectorProgress& progress) {
  Findings findings;
  const auto& detectors = tools::detectors::AllDetectors();
  double done_count = 0;
  for (const Detector& detector : detectors) {
    if (!only.empty() && detector.name != only) continue;
    GPUWHY_RETURN_IF_ERROR(facts.CheckStop());
    if (progress) progress(done_count / static_cast<double>(detectors.size()), detector.name);
    GPUWHY_ASSIGN_OR_RETURN(const Detection* detection, facts.Once(detector.find));
    Add(detector, *detection, findings);
    ++done_count;
  }
  SortAndName(findings.found);
  return findings;
}

}  // namespace gpuwhy
