// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/chains.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/chain_walk.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/io_waits.h"
#include "tools/analysis/rules.h"

namespace gpuwhy {
namespace {

// Makes a chain from a walk: root first. How a walk reached a link is how the link leads on to the
// one before it, so the relations stay with their links.
Chain FromWalk(Walk walk, int64_t lost_ns, int64_t wall_ns) {
  std::reverse(walk.links.begin(), walk.links.end());
  return {.severity = rules::Bound(SeverityOfShare(lost_ns, wall_ns),
                                   {.is_collector_missing = !walk.is_complete}),
          .lost_ns = lost_ns,
          .links = std::move(walk.links),
          .ending = std::move(walk.ending)};
}

// Workers that ran at the same time: nothing but time ties them to the symptom.
void AddWorkers(const Phase& phase, Chain& chain) {
  ChainLink link{.interval = phase.interval,
                 .state = fmt::format("on a core or ready {}", Percent(WorkerCpuShare(phase))),
                 .relation = Relation::kOverlapOnly};
  for (const Worker& worker : phase.workers) {
    link.actor += fmt::format("{}{}", link.actor.empty() ? "workers " : ", ", worker.pid);
    link.row_ids.push_back(RowId("process", worker.process_id));
  }
  link.time_ns = phase.idle_ns;
  chain.links.insert(chain.links.begin(), std::move(link));
  chain.severity = rules::Bound(chain.severity, {.is_overlap_only = true});
  chain.ending =
      fmt::format("no wake-ups tie the workers to the main thread: needs {}", kNeedsScheduling);
}

Result<Chain> FromPhase(const TraceFacts& facts, const IdlePicture& picture, const Phase& phase) {
  GPUWHY_ASSIGN_OR_RETURN(Walk walk, WalkBack(facts, picture.feeder_thread_id, phase.interval));
  Chain chain = FromWalk(std::move(walk), phase.idle_ns, picture.wall_ns());
  chain.symptom = fmt::format("no CUDA call in flight, {}", CountOfGaps(phase.gap_count));
  chain.interval = phase.interval;
  if (!phase.workers.empty()) AddWorkers(phase, chain);
  return chain;
}

Result<Chain> FromGap(const TraceFacts& facts, const IdlePicture& picture, const Gap& gap) {
  const int64_t thread_id = gap.thread_id != 0 ? gap.thread_id : picture.feeder_thread_id;
  Chain chain{.severity = SeverityOfShare(gap.duration_ns(), picture.wall_ns()),
              .lost_ns = gap.duration_ns(),
              .ending = "no thread is known to have ended it"};
  if (thread_id != 0) {
    GPUWHY_ASSIGN_OR_RETURN(Walk walk, WalkBack(facts, thread_id, gap.interval()));
    chain = FromWalk(std::move(walk), gap.duration_ns(), picture.wall_ns());
  }
  chain.symptom = picture.view == View::kApi ? "no CUDA call in flight" : "GPU idle";
  chain.interval = gap.interval();
  return chain;
}

Result<std::vector<Chain>> FromIdle(const TraceFacts& facts, const IdlePicture& picture,
                                    int64_t limit) {
  std::vector<Chain> chains;
  if (picture.view == View::kApi) {
    GPUWHY_ASSIGN_OR_RETURN(const std::vector<Phase> phases, PhasesOf(facts, picture));
    for (const Phase& phase : phases) {
      if (!phase.is_idle) continue;
      GPUWHY_ASSIGN_OR_RETURN(Chain chain, FromPhase(facts, picture, phase));
      chains.push_back(std::move(chain));
    }
    return chains;
  }
  std::vector<Gap> gaps = picture.gaps;
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.duration_ns() > b.duration_ns(); });
  gaps.resize(std::min(gaps.size(), static_cast<size_t>(limit)));
  for (const Gap& gap : gaps) {
    GPUWHY_ASSIGN_OR_RETURN(Chain chain, FromGap(facts, picture, gap));
    chains.push_back(std::move(chain));
  }
  return chains;
}

// Where idle time is unknown, the slowest calls are the symptom.
Result<std::vector<Chain>> FromSlowCalls(const TraceFacts& facts, int64_t limit) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* all, facts.HostCalls());
  GPUWHY_ASSIGN_OR_RETURN(const WarmUp warm_up, facts.FindWarmUp());
  std::vector<const HostCall*> calls;
  for (const HostCall& call : *all) {
    if (!call.is_child) calls.push_back(&call);
  }
  const size_t count = std::min(calls.size(), static_cast<size_t>(limit));
  std::partial_sort(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(count), calls.end(),
                    [](const HostCall* a, const HostCall* b) {
                      return a->end_ns - a->start_ns > b->end_ns - b->start_ns;
                    });
  std::vector<Chain> chains;
  for (size_t i = 0; i < count; ++i) {
    const HostCall& call = *calls[i];
    const Interval interval = {call.start_ns, call.end_ns};
    if (interval.duration_ns() <= 0) break;
    GPUWHY_ASSIGN_OR_RETURN(Walk walk, WalkBack(facts, call.thread_id, interval));
    Chain chain = FromWalk(std::move(walk), interval.duration_ns(), facts.window().duration_ns());
    GPUWHY_ASSIGN_OR_RETURN(const std::string name, facts.NameText(call.name_id));
    chain.symptom = "slow call " + CleanText(name, 60);
    if (rules::IsWarmUp(warm_up, call.start_ns)) {
      chain.symptom += ", at start-up";
      chain.severity = Severity::kInfo;
    }
    chain.interval = interval;
    chain.links.back().row_ids.push_back(RowId("api_call", call.id));
    chains.push_back(std::move(chain));
  }
  return chains;
}

// Without CUDA rows, a thread that waits for disks is all that can be told.
Result<std::vector<Chain>> FromDisk(const TraceFacts& facts, int64_t limit) {
  std::vector<Chain> chains;
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<IoWaits> waits, FindIoWaits(facts));
  for (const IoWaits& io : waits) {
    if (static_cast<int64_t>(chains.size()) >= limit) break;
    const Interval whole = {io.blocked.front().start_ns, io.blocked.back().end_ns};
    const std::string actor = facts.actors().DescribeThread(io.thread_id);
    const int64_t lost_ns = Length(io.blocked);
    Chain chain{.severity = rules::Bound(SeverityOfShare(lost_ns, facts.window().duration_ns()),
                                         {.is_collector_missing = true}),
                .symptom = "thread off its core; whether the GPU waited is not in the trace",
                .interval = whole,
                .lost_ns = lost_ns,
                .ending = "waiting for a disk ends the chain"};
    chain.links.push_back({.actor = actor,
                           .interval = whole,
                           .state = fmt::format("{} disk reads", FormatCount(io.read_count)),
                           .time_ns = io.read_ns,
                           .row_ids = {RowId("host_event", io.longest_id)}});
    chain.links.push_back({.actor = actor,
                           .interval = whole,
                           .state = fmt::format("blocked, {} reads inside a switch of the thread",
                                                FormatCount(io.paired_count)),
                           .time_ns = lost_ns});
    chains.push_back(std::move(chain));
  }
  return chains;
}

}  // namespace

std::string_view NameOf(Relation relation) {
  switch (relation) {
    case Relation::kSameThread:
      return "same thread";
    case Relation::kWokenBy:
      return "woke";
    case Relation::kPreemptedBy:
      return "took the core of";
    case Relation::kOverlapOnly:
      return "overlap in time only";
  }
  return "";
}

Result<std::vector<Chain>> BuildChains(const TraceFacts& facts, const IdlePicture& picture,
                                       ChainRequest request) {
  if (request.gap > 0) {
    if (request.gap > static_cast<int64_t>(picture.gaps.size())) {
      return NotFound(
          fmt::format("there is no gap {}: the trace has {}", request.gap, picture.gaps.size()));
    }
    GPUWHY_ASSIGN_OR_RETURN(
        Chain chain, FromGap(facts, picture, picture.gaps[static_cast<size_t>(request.gap) - 1]));
    return std::vector<Chain>{std::move(chain)};
  }
  if (picture.IsUsable() && !picture.gaps.empty()) return FromIdle(facts, picture, request.limit);
  if (facts.Has(Collector::kApiCall)) return FromSlowCalls(facts, request.limit);
  return FromDisk(facts, request.limit);
}

}  // namespace gpuwhy
