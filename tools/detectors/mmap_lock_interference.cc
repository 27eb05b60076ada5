// SPDX-License-Identifier: Apache-2.0
// The thread that feeds the device waits for the lock of its address space: its page faults and
// mappings stop while a monitor walks /proc/PID/smaps or another of its threads maps memory. The
// kernel named the holder of each wait. Where idle time is only what calls prove, waits outside of
// it count too, but never as HIGH: the device may have had work queued.
#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/idle_picture.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/rules.h"
#include "tools/detector.h"

namespace gpuwhy::tools::detectors::mmap_lock_interference {
namespace {

constexpr double kMinShare = 0.01;
constexpr double kNamedRatio = 0.8;
constexpr int64_t kLongNs = 1'000'000;

struct Waits {
  int64_t count = 0;
  int64_t long_count = 0;
  int64_t total_ns = 0;
  int64_t longest_ns = 0;
  int64_t longest_id = 0;
  int64_t named_ns = 0;
  int64_t in_idle_ns = 0;
};

struct Holder {
  std::string name;
  bool is_own = false;  // a thread of the waiting process
  int64_t wait_ns = 0;
  int64_t process_count = 0;
};

// Other processes that walked this one's memory, whether somebody waited or not.
struct Walks {
  int64_t count = 0;
  int64_t held_ns = 0;
};

struct Evidence {
  const IdlePicture& picture;
  Waits waits;
  std::vector<Holder> holders;  // longest first
  Walks walks;
};

std::string WaitsSql(const IdlePicture& picture) {
  return fmt::format(
      "SELECT count(*) AS waits, coalesce(sum(duration_ns), 0) AS wait_ns FROM host_event WHERE "
      "kind = 'mmap_lock' AND thread_id = {} AND start_ns < {} AND start_ns + duration_ns > {}",
      picture.feeder_thread_id, picture.span.end_ns, picture.span.start_ns);
}

Result<Waits> WaitsOf(const TraceFacts& facts, const IdlePicture& picture) {
  Waits waits;
  std::vector<Interval> all;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT start_ns, duration_ns, other_thread_id IS NOT NULL, id FROM host_event WHERE kind = "
      "'mmap_lock' AND thread_id = ?1 AND start_ns < ?3 AND start_ns + duration_ns > ?2",
      {picture.feeder_thread_id, picture.span.start_ns, picture.span.end_ns}, [&](const Row& row) {
        const int64_t duration_ns = row.Int(1);
        all.push_back({row.Int(0), row.Int(0) + duration_ns});
        ++waits.count;
        waits.long_count += duration_ns >= kLongNs ? 1 : 0;
        waits.total_ns += duration_ns;
        waits.named_ns += row.Int(2) == 1 ? duration_ns : 0;
        if (duration_ns <= waits.longest_ns) return;
        waits.longest_ns = duration_ns;
        waits.longest_id = row.Int(3);
      }));
  waits.in_idle_ns = Length(Intersect(Normalize(std::move(all)), picture.idle));
  return waits;
}

Result<std::vector<Holder>> HoldersOf(const TraceFacts& facts, const IdlePicture& picture) {
  std::vector<Holder> holders;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT coalesce(p.name, 'an unnamed process'), p.id = ?4, sum(h.duration_ns), "
      "count(DISTINCT p.id) FROM "
      "host_event h JOIN thread t ON t.id = h.other_thread_id JOIN process p ON p.id = "
      "t.process_id WHERE h.kind = 'mmap_lock' AND h.thread_id = ?1 AND h.start_ns < ?3 AND "
      "h.start_ns + h.duration_ns > ?2 GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 3",
      {picture.feeder_thread_id, picture.span.start_ns, picture.span.end_ns,
       picture.feeder_process_id},
      [&](const Row& row) {
        const bool is_own = row.Int(1) == 1;
        holders.push_back({is_own ? "another of its threads" : CleanText(row.Text(0), 40), is_own,
                           row.Int(2), row.Int(3)});
      }));
  return holders;
}

Result<Walks> WalksOf(const TraceFacts& facts, const IdlePicture& picture) {
  Walks walks;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT count(*), coalesce(sum(h.duration_ns), 0) FROM host_event h JOIN thread t ON t.id = "
      "h.thread_id WHERE h.kind = 'foreign_mm_lock' AND t.process_id = ?1 AND h.start_ns < ?3 AND "
      "h.start_ns + h.duration_ns > ?2",
      {picture.feeder_process_id, picture.span.start_ns, picture.span.end_ns}, [&](const Row& row) {
        walks = {row.Int(0), row.Int(1)};
      }));
  return walks;
}

std::string TextOf(const Holder& holder) {
  const std::string processes =
      holder.process_count > 1 ? fmt::format(" ({} processes)", holder.process_count) : "";
  return fmt::format("{}{} {}", holder.name, processes, FormatDuration(holder.wait_ns));
}

std::string TextOf(const std::vector<Holder>& holders) {
  std::string text;
  for (const Holder& holder : holders)
    text += (text.empty() ? "" : ", ") + TextOf(holder);
  return text;
}

std::string FixFor(const Holder& holder) {
  if (holder.is_own) {
    return "map and unmap less while training: re-use buffers, keep freed memory "
           "(MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_), touch memory before the loop";
  }
  return fmt::format(
      "stop {} or let it look less often: walks of /proc/PID/smaps, smaps_rollup and numa_maps "
      "hold the lock (rollup for less time each); /proc/PID/statm has the resident size without",
      holder.name);
}

Severity SeverityOf(const Evidence& evidence) {
  const IdlePicture& picture = evidence.picture;
  const Severity proven = SeverityOfShare(evidence.waits.in_idle_ns, picture.wall_ns());
  if (picture.view == View::kDevice) return proven;
  return std::max(proven, std::min(Severity::kMedium,
                                   SeverityOfShare(evidence.waits.total_ns, picture.wall_ns())));
}

std::vector<Fact> FactsOf(const Evidence& evidence) {
  const Waits& waits = evidence.waits;
  std::vector<Fact> facts = {
      NsFact("wait_ns", "waited for the lock", waits.total_ns),
      NsFact("wait_in_idle_ns", "of it in idle time", waits.in_idle_ns),
      CountFact("wait_count", "waits", waits.count),
      CountFact("long_wait_count", "of them of 1 ms or more", waits.long_count),
      NsFact("max_wait_ns", "longest", waits.longest_ns)};
  if (!evidence.holders.empty()) {
    facts.push_back(TextFact("holders", "held by", TextOf(evidence.holders)));
  }
  if (evidence.walks.count > 0) {
    facts.push_back(NsFact("walk_ns", "other processes held it", evidence.walks.held_ns));
    facts.push_back(CountFact("walk_count", "times", evidence.walks.count));
  }
  return facts;
}

Finding MakeFinding(const TraceFacts& facts, const Evidence& evidence) {
  const Waits& waits = evidence.waits;
  const IdlePicture& picture = evidence.picture;
  const bool is_named = RatioOf(waits.named_ns, waits.total_ns) >= kNamedRatio;
  Finding finding{.detector = "mmap-lock-interference",
                  .severity = rules::Bound(SeverityOf(evidence), {.is_overlap_only = !is_named,
                                                                  .has_counter_test = is_named}),
                  .start_ns = picture.span.start_ns,
                  .end_ns = picture.span.end_ns,
                  .lost_ns = waits.in_idle_ns};
  finding.title = fmt::format(
      "{} waited {} ({} of the time) for the lock of its address space{}",
      facts.actors().DescribeThread(picture.feeder_thread_id), FormatDuration(waits.total_ns),
      Percent(RatioOf(waits.total_ns, picture.wall_ns())),
      evidence.holders.empty() ? "" : ", held by " + evidence.holders.front().name);
  finding.evidence = FactsOf(evidence);
  finding.evidence_sql = WaitsSql(picture);
  finding.row_ids = {RowId("host_event", waits.longest_id)};
  finding.counter_test =
      rules::TextOf({.expectation = "if nobody else held the lock, the kernel would name no holder",
                     .observation = fmt::format("it named one for {} of the waiting",
                                                Percent(RatioOf(waits.named_ns, waits.total_ns))),
                     .outcome = is_named ? rules::CounterTest::Outcome::kHeld
                                         : rules::CounterTest::Outcome::kFailed});
  finding.basis = picture.view == View::kDevice
                      ? "measured: waits for mmap_lock and who held it, inside idle time"
                      : "measured: waits for mmap_lock and who held it; how much of it the device "
                        "was idle is a lower bound";
  if (!evidence.holders.empty()) finding.fix = FixFor(evidence.holders.front());
  if (picture.view != View::kDevice) finding.missing = {std::string(kNeedsDevice)};
  return finding;
}

bool IsRecorded(const TraceFacts& facts, const Evidence& evidence) {
  const auto& captures = facts.actors().captures();
  return evidence.waits.count > 0 || evidence.walks.count > 0 ||
         std::any_of(captures.begin(), captures.end(),
                     [](const CaptureInfo& capture) { return capture.kind == "ebpf"; });
}

Result<Detection> Find(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const IdlePicture* idle, LookAtIdle(facts));
  const IdlePicture& picture = *idle;
  if (!picture.IsUsable()) return Detection(picture.Silence());
  if (picture.feeder_thread_id == 0) return NothingFound("no thread feeds the GPU");
  Evidence evidence{.picture = picture, .waits = {}, .holders = {}, .walks = {}};
  GPUWHY_ASSIGN_OR_RETURN(evidence.waits, WaitsOf(facts, picture));
  GPUWHY_ASSIGN_OR_RETURN(evidence.holders, HoldersOf(facts, picture));
  GPUWHY_ASSIGN_OR_RETURN(evidence.walks, WalksOf(facts, picture));
  if (!IsRecorded(facts, evidence)) {
    return Abstain("needs waits for address-space locks (gpuwhy trace records them)");
  }
  if (RatioOf(evidence.waits.total_ns, picture.wall_ns()) >= kMinShare) {
    return Detection(std::vector<Finding>{MakeFinding(facts, evidence)});
  }
  return NothingFound(fmt::format(
      "the feeding thread waited {} for the lock of its address space{}",
      FormatDuration(evidence.waits.total_ns),
      evidence.walks.count == 0
          ? ""
          : fmt::format(", though other processes held it {} times", evidence.walks.count)));
}

}  // namespace

Detector Define() {
  return {.name = "mmap-lock-interference",
          .question = "Did the feeding thread wait for its address-space lock, and who held it?",
          .find = &Find};
}

}  // namespace gpuwhy::tools::detectors::mmap_lock_interference
