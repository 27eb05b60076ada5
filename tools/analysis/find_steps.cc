// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/find_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "schema/base/text.h"
#include "tools/analysis/names.h"
#include "tools/analysis/rows.h"
#include "tools/analysis/scan.h"

namespace gpuwhy {
namespace {

constexpr size_t kFewestRepeats = 3;
// Of the time from the first to the last: a range that says it is a step, and any other.
constexpr double kStepCoverage = 0.3;
constexpr double kOtherCoverage = 0.8;
// What people mark; what emit_nvtx marks of PyTorch's own are operators.
constexpr std::string_view kAnnotations =
    "category IN ('user_annotation', 'nvtx') AND name_id NOT IN (SELECT id FROM name WHERE text >= "
    "'aten::' AND text < 'aten:;')";
constexpr Window kWholeTime = {.start_ns = INT64_MIN, .end_ns = INT64_MAX};

bool SaysStep(std::string_view pattern) {
  std::string lower(pattern);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 4> kWords = {"step", "iter", "batch", "request"};
  return !lower.starts_with("optimizer") &&
         std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// Ranges of one pattern on one thread.
struct Repeats {
  std::vector<Step> steps;

  bool Overlap() const {
    return std::adjacent_find(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
             return b.start_ns < a.end_ns;
           }) != steps.end();
  }
  double Coverage() const {
    double sum_ns = 0;
    for (const Step& step : steps)
      sum_ns += static_cast<double>(step.end_ns - step.start_ns);
    const auto extent_ns = static_cast<double>(steps.back().end_ns - steps.front().start_ns);
    return extent_ns > 0 ? sum_ns / extent_ns : 0;
  }
};

using RepeatsByPattern = std::map<std::string, std::map<int64_t, Repeats>>;  // and thread

// Ranges that meet a condition, by pattern, each ascending by start.
Result<RepeatsByPattern> LoadRepeats(const TraceDb& db, std::string_view condition) {
  const Names names(db);
  RepeatsByPattern found;
  Status status;
  GPUWHY_RETURN_IF_ERROR(
      Scan(db,
           {.table = "range",
            .columns = "name_id, start_ns, duration_ns, thread_id",
            .window = kWholeTime,
            .condition = fmt::format("{} AND duration_ns > 0", condition)},
           [&](const Row& row) {
             const auto name = names.Text(row.Int(0));
             if (!name.ok()) status = name.error();
             if (!name.ok()) return;
             found[WithoutNumbers(name.value())][row.Int(3)].steps.push_back(
                 {name.value(), row.Int(1), EndOf(row.Int(1), row.Int(2)), row.Int(3)});
           }));
  GPUWHY_RETURN_IF_ERROR(status);
  for (auto& [pattern, threads] : found) {
    for (auto& [thread, repeats] : threads) {
      std::sort(repeats.steps.begin(), repeats.steps.end(),
                [](const Step& a, const Step& b) { return a.start_ns < b.start_ns; });
    }
  }
  return found;
}

StepSet SetOf(const std::string& pattern, const std::map<int64_t, Repeats>& threads) {
  StepSet set{.source = pattern};
  for (const auto& [thread, repeats] : threads)
    set.steps.insert(set.steps.end(), repeats.steps.begin(), repeats.steps.end());
  std::sort(set.steps.begin(), set.steps.end(),
            [](const Step& a, const Step& b) { return a.start_ns < b.start_ns; });
  return set;
}

// Threads on which the pattern may be steps, and how well it covers the best of them; words that
// say "step" count more.
std::optional<double> Score(const std::string& pattern, std::map<int64_t, Repeats>& threads) {
  const double least = SaysStep(pattern) ? kStepCoverage : kOtherCoverage;
  double best = 0;
  std::erase_if(threads, [&](const auto& entry) {
    const Repeats& repeats = entry.second;
    return repeats.steps.size() < kFewestRepeats || repeats.Overlap() || repeats.Coverage() < least;
  });
  for (const auto& [thread, repeats] : threads)
    best = std::max(best, repeats.Coverage());
  if (threads.empty()) return std::nullopt;
  return SaysStep(pattern) ? best + 1 : best;
}

// Leaves only what may be steps in `found`.
StepSet BestRepeats(RepeatsByPattern& found) {
  std::optional<double> best_score;
  StepSet best;
  for (auto& [pattern, threads] : found) {
    const auto score = Score(pattern, threads);
    if (!score || (best_score && *score <= *best_score)) continue;
    best_score = score;
    best = SetOf(pattern, threads);
  }
  return best;
}

// A step ends when the optimizer has ended.
StepSet FromOptimizer(const RepeatsByPattern& found) {
  StepSet set{.source = "end of one Optimizer.step to the next"};
  for (const auto& [pattern, threads] : found) {
    if (!pattern.starts_with("Optimizer.step")) continue;
    for (const auto& [thread, repeats] : threads) {
      for (size_t i = 1; i < repeats.steps.size(); ++i) {
        set.steps.push_back({fmt::format("step {}", i), repeats.steps[i - 1].end_ns,
                             repeats.steps[i].end_ns, thread});
      }
    }
    if (!set.steps.empty()) return set;
  }
  return {};
}

Result<StepSet> NamedSteps(const TraceDb& db, std::string_view wanted) {
  const std::string pattern = WithoutNumbers(wanted);
  std::vector<int64_t> name_ids;
  GPUWHY_RETURN_IF_ERROR(db.Query("SELECT id, text FROM name", {}, [&](const Row& row) {
    if (WithoutNumbers(row.Text(1)) == pattern) name_ids.push_back(row.Int(0));
  }));
  GPUWHY_ASSIGN_OR_RETURN(
      const auto found, LoadRepeats(db, fmt::format("category NOT LIKE '%gpu%' AND name_id IN ({})",
                                                    IdList(name_ids))));
  if (const auto it = found.find(pattern); it != found.end()) return SetOf(pattern, it->second);
  return NotFound(fmt::format(
      "no range is called {}: run_sql \"SELECT name, count(*) FROM ranges WHERE category IN "
      "('user_annotation', 'nvtx') GROUP BY 1\" lists them",
      CleanText(wanted)));
}

}  // namespace

std::string WithoutNumbers(std::string_view name) {
  std::string pattern;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!IsDigit(name[i])) {
      pattern += name[i];
    } else if (i == 0 || !IsDigit(name[i - 1])) {
      pattern += '#';
    }
  }
  return pattern;
}

Result<StepSet> FindSteps(const TraceDb& db, std::string_view wanted) {
  if (!wanted.empty()) return NamedSteps(db, wanted);
  GPUWHY_ASSIGN_OR_RETURN(std::vector<Step> profiled, LoadSteps(db));
  if (!profiled.empty()) return StepSet{.source = "ProfilerStep", .steps = std::move(profiled)};
  GPUWHY_ASSIGN_OR_RETURN(RepeatsByPattern found, LoadRepeats(db, kAnnotations));
  StepSet by_optimizer = FromOptimizer(found);
  StepSet repeated = BestRepeats(found);
  return repeated.steps.empty() ? by_optimizer : repeated;
}

}  // namespace gpuwhy
