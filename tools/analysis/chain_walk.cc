// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/chain_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/io_waits.h"
#include "tools/analysis/rules.h"

namespace gpuwhy {
namespace {

constexpr size_t kDeepest = 6;

struct Wait {
  int64_t id = 0;
  Interval interval;
  int64_t runnable_ns = 0;
  std::string reason;
  int64_t waker_id = 0;
  int64_t preemptor_id = 0;
};

Result<Wait> LongestWait(const TraceFacts& facts, int64_t thread_id, Interval interval) {
  Wait wait;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT id, start_ns, duration_ns, coalesce(runnable_ns, 0), reason, "
      "coalesce(waker_thread_id, 0), coalesce(preemptor_thread_id, 0) FROM off_cpu WHERE thread_id "
      "= ?1 AND start_ns < ?3 AND start_ns + duration_ns > ?2 ORDER BY min(start_ns + duration_ns, "
      "?3) - max(start_ns, ?2) DESC LIMIT 1",
      {thread_id, interval.start_ns, interval.end_ns}, [&](const Row& row) {
        const Interval whole = {row.Int(1), row.Int(1) + row.Int(2)};
        wait = {.id = row.Int(0),
                .interval = {std::max(whole.start_ns, interval.start_ns),
                             std::min(whole.end_ns, interval.end_ns)},
                .runnable_ns = row.Int(3),
                .reason = CleanText(row.Text(4), 16),
                .waker_id = row.Int(5),
                .preemptor_id = row.Int(6)};
      }));
  return wait;
}

// The class of recorded state that fills most of the interval, for threads without scheduling rows.
Result<ChainLink> FromRecord(const TraceFacts& facts, int64_t thread_id, Interval interval) {
  ChainLink link{.actor = facts.actors().DescribeThread(thread_id),
                 .interval = interval,
                 .state = "not observed"};
  GPUWHY_ASSIGN_OR_RETURN(const ThreadRecord* record, facts.RecordOf(thread_id));
  for (const IdleClassInfo& info : AllIdleClasses()) {
    const Intervals& state = record->states[static_cast<size_t>(info.idle_class)];
    const int64_t time_ns = LengthWithin(state, interval);
    if (time_ns <= link.time_ns) continue;
    link.time_ns = time_ns;
    link.state = info.label;
  }
  const int64_t code_ns = LengthWithin(record->code, interval);
  if (link.time_ns == 0 && code_ns > 0) {
    link.time_ns = code_ns;
    link.state = "in Python or framework code";
  }
  return link;
}

std::string StacksEnding(const TraceFacts& facts) {
  return facts.Has(Collector::kSample)
             ? "what it ran: get_call_stacks"
             : fmt::format("what it ran was not recorded: needs {}", kNeedsStacks);
}

class Walker {
 public:
  explicit Walker(const TraceFacts& facts) : facts_(facts) {}

  // Adds the links of one thread; true when the walk goes on at next_thread_, next_interval_.
  Result<bool> Step(int64_t thread_id, Interval interval, Relation relation) {
    GPUWHY_ASSIGN_OR_RETURN(const ThreadActivity* activity, facts_.ActivityOf(thread_id));
    if (!activity->is_known) return StepUnknown(thread_id, interval, relation);
    const int64_t off_ns = LengthWithin(activity->off_cpu, interval);
    if (off_ns * 2 < interval.duration_ns()) {
      walk.links.push_back({.actor = facts_.actors().DescribeThread(thread_id),
                            .interval = interval,
                            .state = "on a core",
                            .time_ns = interval.duration_ns() - off_ns,
                            .relation = relation});
      walk.ending = StacksEnding(facts_);
      walk.is_complete = true;
      return false;
    }
    return StepWaiting(thread_id, interval, relation);
  }

  Walk walk;
  int64_t next_thread = 0;
  Interval next_interval;
  Relation next_relation = Relation::kWokenBy;

 private:
  Result<bool> StepUnknown(int64_t thread_id, Interval interval, Relation relation) {
    GPUWHY_ASSIGN_OR_RETURN(ChainLink link, FromRecord(facts_, thread_id, interval));
    link.relation = relation;
    walk.links.push_back(std::move(link));
    walk.ending =
        fmt::format("whether it was on a core was not recorded: needs {}", kNeedsScheduling);
    return false;
  }

  Result<bool> StepWaiting(int64_t thread_id, Interval interval, Relation relation) {
    GPUWHY_ASSIGN_OR_RETURN(const Wait wait, LongestWait(facts_, thread_id, interval));
    const bool is_runnable = wait.runnable_ns * 2 > wait.interval.duration_ns();
    ChainLink link{.actor = facts_.actors().DescribeThread(thread_id),
                   .interval = wait.interval,
                   .state = is_runnable ? "ready, without a core" : "blocked: " + wait.reason,
                   .time_ns = wait.interval.duration_ns(),
                   .relation = relation,
                   .row_ids = {RowId("off_cpu", wait.id)}};
    walk.links.push_back(std::move(link));
    return Continue(wait, is_runnable);
  }

  Result<bool> Continue(const Wait& wait, bool is_runnable) {
    walk.is_complete = true;
    next_thread = is_runnable ? wait.preemptor_id : wait.waker_id;
    next_interval = wait.interval;
    next_relation = is_runnable ? Relation::kPreemptedBy : Relation::kWokenBy;
    if (rules::IsVoluntaryWait(wait.reason, wait.interval.duration_ns())) {
      walk.ending = "a voluntary wait (time-out or sleep) ends the chain";
      return false;
    }
    if (wait.reason == "io" || wait.reason == "network") {
      walk.ending = fmt::format("waiting for {} ends the chain",
                                wait.reason == "io" ? "a disk" : "the network");
      return false;
    }
    if (next_thread != 0) return true;
    walk.is_complete = false;
    walk.ending = fmt::format("its scheduling rows carry no {}: needs {}",
                              is_runnable ? "pre-emptor" : "waker", kNeedsScheduling);
    return false;
  }

  const TraceFacts& facts_;
};

}  // namespace

Result<Walk> WalkBack(const TraceFacts& facts, int64_t thread_id, Interval interval) {
  Walker walker(facts);
  Relation relation = Relation::kSameThread;
  while (true) {
    GPUWHY_RETURN_IF_ERROR(facts.CheckStop());
    GPUWHY_ASSIGN_OR_RETURN(const bool goes_on, walker.Step(thread_id, interval, relation));
    if (!goes_on) break;
    if (walker.walk.links.size() >= kDeepest) {
      walker.walk.ending = fmt::format("cut after {} links", kDeepest);
      break;
    }
    thread_id = walker.next_thread;
    interval = walker.next_interval;
    relation = walker.next_relation;
  }
  return std::move(walker.walk);
}

}  // namespace gpuwhy
