// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/analysis/median.h"

namespace gpuwhy {
namespace {

// A collective cannot end before all have entered it; some slack for clocks and copies of names.
constexpr double kLeastCoincident = 0.9;
// An estimate of a clock's offset is believed when it is this much larger than its error.
constexpr int64_t kOffsetToError = 5;

bool HasCommunication(const RankWork& rank) {
  return std::any_of(rank.ops.begin(), rank.ops.end(),
                     [](const DeviceOp& op) { return op.kernel_class == KernelClass::kComm; });
}

using OpsByName = std::map<int32_t, std::vector<std::vector<Interval>>>;  // and rank

OpsByName CommunicationByName(const std::vector<RankWork>& ranks) {
  OpsByName by_name;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const DeviceOp& op : ranks[rank].ops) {
      if (op.kernel_class != KernelClass::kComm) continue;
      auto& of_ranks = by_name[op.name_id];
      of_ranks.resize(ranks.size());
      of_ranks[rank].push_back({op.start_ns, op.end_ns});
    }
  }
  return by_name;
}

int64_t CountOf(const std::vector<std::vector<Interval>>& of_ranks) {
  int64_t count = 0;
  for (const auto& intervals : of_ranks)
    count += static_cast<int64_t>(intervals.size());
  return count;
}

bool AreEquallyMany(const std::vector<std::vector<Interval>>& of_ranks) {
  return std::all_of(of_ranks.begin(), of_ranks.end(),
                     [&](const auto& one) { return one.size() == of_ranks.front().size(); });
}

std::vector<Collective> PairUp(int32_t name_id,
                               const std::vector<std::vector<Interval>>& of_ranks) {
  std::vector<Collective> collectives(of_ranks.front().size());
  for (size_t i = 0; i < collectives.size(); ++i) {
    collectives[i].name_id = name_id;
    for (const auto& intervals : of_ranks)
      collectives[i].of_rank.push_back(intervals[i]);
  }
  return collectives;
}

bool Overlaps(const Interval& a, const Interval& b) {
  return a.start_ns < b.end_ns && b.start_ns < a.end_ns;
}

// The first of `intervals` from `at` on that overlaps `one`; `at` moves past those that end before.
const Interval* NextOverlap(const std::vector<Interval>& intervals, const Interval& one,
                            size_t& at) {
  while (at < intervals.size() && intervals[at].end_ns <= one.start_ns)
    ++at;
  return at < intervals.size() && Overlaps(intervals[at], one) ? &intervals[at] : nullptr;
}

// Kernels of a name that some rank ran more often: each of the rank that ran fewest with those that
// overlap it on all others, none twice.
std::vector<Collective> PairByOverlap(int32_t name_id,
                                      const std::vector<std::vector<Interval>>& of_ranks) {
  const auto fewest =
      std::min_element(of_ranks.begin(), of_ranks.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<size_t> at(of_ranks.size(), 0);
  std::vector<Collective> collectives;
  for (const Interval& one : *fewest) {
    Collective collective{.name_id = name_id, .of_rank = {}};
    for (size_t rank = 0; rank < of_ranks.size(); ++rank) {
      const Interval* other = NextOverlap(of_ranks[rank], one, at[rank]);
      if (other == nullptr) break;
      collective.of_rank.push_back(*other);
    }
    if (collective.of_rank.size() < of_ranks.size()) continue;
    for (size_t& next : at)
      ++next;
    collectives.push_back(std::move(collective));
  }
  return collectives;
}

// All ranks leave a collective at about the same time, so ends tell the clocks apart.
void EstimateClocks(const std::vector<Collective>& collectives, std::vector<RankSkew>& ranks) {
  std::vector<std::vector<int64_t>> differences(ranks.size());
  for (const Collective& collective : collectives) {
    std::vector<int64_t> ends;
    for (const Interval& interval : collective.of_rank)
      ends.push_back(interval.end_ns);
    const int64_t middle_ns = MedianOf(ends);
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      differences[rank].push_back(ends[rank] - middle_ns);
  }
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const int64_t offset_ns = MedianOf(differences[rank]);
    for (int64_t& difference : differences[rank])
      difference = std::abs(difference - offset_ns);
    const int64_t error_ns = MedianOf(differences[rank]);
    ranks[rank].clock_error_ns = error_ns;
    if (std::abs(offset_ns) > kOffsetToError * error_ns) ranks[rank].clock_offset_ns = offset_ns;
  }
}

void Align(const std::vector<RankSkew>& ranks, std::vector<Collective>& collectives) {
  for (Collective& collective : collectives) {
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      collective.of_rank[rank].start_ns -= ranks[rank].clock_offset_ns;
      collective.of_rank[rank].end_ns -= ranks[rank].clock_offset_ns;
    }
  }
}

bool Coincides(const Collective& collective) {
  int64_t last_start_ns = INT64_MIN;
  int64_t first_end_ns = INT64_MAX;
  for (const Interval& interval : collective.of_rank) {
    last_start_ns = std::max(last_start_ns, interval.start_ns);
    first_end_ns = std::min(first_end_ns, interval.end_ns);
  }
  return last_start_ns <= first_end_ns;
}

// Names whose kernels do not run together are no collectives: sends and receives of a pipeline,
// say.
void DropUncoincident(CollectiveFacts& facts) {
  std::map<int32_t, std::pair<int64_t, int64_t>> counts;  // together, all
  for (const Collective& collective : facts.collectives) {
    auto& [together, all] = counts[collective.name_id];
    together += Coincides(collective) ? 1 : 0;
    ++all;
  }
  std::erase_if(facts.collectives, [&](const Collective& collective) {
    const auto& [together, all] = counts.at(collective.name_id);
    const bool is_none =
        static_cast<double>(together) < kLeastCoincident * static_cast<double>(all);
    if (is_none) facts.uncoincident_count += static_cast<int64_t>(collective.of_rank.size());
    return is_none;
  });
}

void AddSkew(const Collective& collective, std::vector<RankSkew>& ranks) {
  const auto by_start = [](const Interval& a, const Interval& b) {
    return a.start_ns < b.start_ns;
  };
  const auto [first, last] =
      std::minmax_element(collective.of_rank.begin(), collective.of_rank.end(), by_start);
  RankSkew& late = ranks[static_cast<size_t>(last - collective.of_rank.begin())];
  ++late.last_count;
  late.caused_ns += last->start_ns - first->start_ns;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[rank].waited_ns += last->start_ns - collective.of_rank[rank].start_ns;
}

}  // namespace

Result<std::vector<RankWork>> RanksOf(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const auto* ops, facts.DeviceOps());
  std::map<int64_t, RankWork> by_process;
  for (const DeviceOp& op : *ops) {
    RankWork& work = by_process[op.process_id];
    work.process_id = op.process_id;
    work.ops.push_back(op);
  }
  std::vector<RankWork> ranks;
  for (auto& [process_id, work] : by_process) {
    const ProcessInfo* process = facts.actors().FindProcess(process_id);
    if (process == nullptr) continue;
    work.pid = process->pid;
    work.capture_id = process->capture_id;
    work.rank = process->rank;
    work.label =
        work.rank ? fmt::format("rank {}", *work.rank) : fmt::format("pid {}", process->pid);
    ranks.push_back(std::move(work));
  }
  if (std::any_of(ranks.begin(), ranks.end(), &HasCommunication))
    std::erase_if(ranks, [](const RankWork& rank) { return !HasCommunication(rank); });
  std::sort(ranks.begin(), ranks.end(), [](const RankWork& a, const RankWork& b) {
    return std::pair(a.rank.value_or(INT64_MAX), a.pid) <
           std::pair(b.rank.value_or(INT64_MAX), b.pid);
  });
  return ranks;
}

CollectiveFacts CompareCollectives(const std::vector<RankWork>& ranks) {
  CollectiveFacts facts;
  facts.ranks.resize(ranks.size());
  if (ranks.size() < 2) return facts;
  for (const auto& [name_id, of_ranks] : CommunicationByName(ranks)) {
    const std::vector<Collective> paired =
        AreEquallyMany(of_ranks) ? PairUp(name_id, of_ranks) : PairByOverlap(name_id, of_ranks);
    facts.unpaired_count += CountOf(of_ranks) - static_cast<int64_t>(paired.size() * ranks.size());
    facts.collectives.insert(facts.collectives.end(), paired.begin(), paired.end());
  }
  const bool is_one_clock = std::all_of(ranks.begin(), ranks.end(), [&](const RankWork& rank) {
    return rank.capture_id == ranks.front().capture_id;
  });
  if (!is_one_clock) EstimateClocks(facts.collectives, facts.ranks);
  Align(facts.ranks, facts.collectives);
  DropUncoincident(facts);
  for (const Collective& collective : facts.collectives)
    AddSkew(collective, facts.ranks);
  return facts;
}

}  // namespace gpuwhy
