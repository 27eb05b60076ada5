// SPDX-License-Identifier: Apache-2.0
// Copies that are asynchronous by name hold the host thread, because their host memory is pageable
// and the driver stages it.
#include <fmt/format.h>

#include "schema/base/text.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/idle_picture.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/rules.h"
#include "tools/detector.h"

namespace gpuwhy::tools::detectors::pageable_copy_blocking {
namespace {

constexpr double kMinShare = 0.01;

struct Copies {
  int64_t host_ns = 0;
  int64_t count = 0;
  int64_t device_ns = 0;
  int64_t bytes = 0;
  int64_t unknown_count = 0;  // memory kind not recorded
  int64_t slowest_id = 0;
};

std::string SqlOf(const TraceFacts& facts, std::string_view columns) {
  return fmt::format(
      "SELECT {} FROM gpu_op o JOIN api_call a ON "
      "a.correlation_id = o.correlation_id JOIN thread t ON t.id = a.thread_id AND t.process_id IS "
      "o.process_id JOIN name n ON n.id = a.name_id WHERE o.kind = 'memcpy' AND o.bytes >= 65536 "
      "AND "
      "o.copy_kind IN ('H2D', 'D2H') AND coalesce(o.host_memory, 'pageable') = 'pageable' AND "
      "a.duration_ns * 2 >= o.duration_ns AND a.parent_id IS NULL AND n.text LIKE '%Async%' AND "
      "a.start_ns >= {} AND a.start_ns < {}",
      columns, facts.window().start_ns, facts.window().end_ns);
}

std::string Sql(const TraceFacts& facts) {
  return SqlOf(facts,
               "coalesce(sum(a.duration_ns), 0) AS host_ns, count(*) AS copies, "
               "coalesce(sum(o.duration_ns), 0) AS device_ns, coalesce(sum(o.bytes), 0) AS bytes, "
               "coalesce(sum(o.host_memory IS NULL), 0) AS unknown_memory");
}

Result<Copies> Count(const TraceFacts& facts) {
  Copies copies;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(Sql(facts), {}, [&](const Row& row) {
    copies = {.host_ns = row.Int(0),
              .count = row.Int(1),
              .device_ns = row.Int(2),
              .bytes = row.Int(3),
              .unknown_count = row.Int(4)};
  }));
  if (copies.count == 0) return copies;
  GPUWHY_ASSIGN_OR_RETURN(
      copies.slowest_id,
      facts.db().QueryInt(SqlOf(facts, "a.id") + " ORDER BY a.duration_ns DESC LIMIT 1"));
  return copies;
}

Finding MakeFinding(const TraceFacts& facts, const IdlePicture& picture, const Copies& copies) {
  const bool is_busy = rules::IsBusyEnough(picture.busy_ns, picture.span_ns);
  const bool is_memory_known = copies.unknown_count == 0;
  Finding finding{.detector = "pageable-copy-blocking",
                  .severity = rules::Bound(SeverityOfShare(copies.host_ns, picture.wall_ns()),
                                           {.is_collector_missing = !is_memory_known}),
                  .start_ns = picture.span.start_ns,
                  .end_ns = picture.span.end_ns,
                  .lost_ns = copies.host_ns};
  // A host that waits beside a busy device loses nothing.
  if (is_busy) finding.severity = Severity::kInfo;
  finding.title =
      fmt::format("{} asynchronous copies {}held the host for {} ({} on the device)",
                  FormatCount(copies.count), is_memory_known ? "from pageable memory " : "",
                  FormatDuration(copies.host_ns), FormatDuration(copies.device_ns));
  finding.evidence = {NsFact("host_ns", "host in these calls", copies.host_ns),
                      NsFact("device_ns", "copying", copies.device_ns),
                      CountFact("copy_count", "copies of 64 KiB or more", copies.count),
                      BytesFact("bytes", "moved", copies.bytes)};
  if (!is_memory_known) {
    finding.evidence.push_back(
        CountFact("unknown_count", "memory kind unknown", copies.unknown_count));
  }
  finding.evidence_sql = Sql(facts);
  if (copies.slowest_id != 0) finding.row_ids = {RowId("api_call", copies.slowest_id)};
  finding.counter_test =
      rules::TextOf({.expectation = "from pinned memory the calls would return at once",
                     .observation = fmt::format("they took {:.1f} times the copy itself",
                                                RatioOf(copies.host_ns, copies.device_ns)),
                     .outcome = rules::CounterTest::Outcome::kHeld});
  finding.basis = "measured: host call and device copy joined by correlation";
  finding.fix =
      std::string(is_memory_known ? ""
                                  : "whether the memory was pinned was not recorded; if not: ") +
      "pin the source (pin_memory=True, a staging pool), copy non_blocking, fewer and "
      "larger copies";
  return finding;
}

// Host calls alone: copies that took next to nothing cannot be the cause.
Result<Detection> WithoutDeviceRows(const TraceFacts& facts) {
  if (!facts.Has(Collector::kApiCall)) return Abstain(fmt::format("needs {}", kNeedsCalls));
  GPUWHY_ASSIGN_OR_RETURN(
      const int64_t copy_ns,
      facts.db().QueryInt("SELECT sum(l.sum_ns) FROM latency l JOIN name n ON n.id = l.name_id "
                          "WHERE l.source = 'api_call' AND n.text LIKE 'cu%emcpy%'"));
  const double share =
      RatioOf(copy_ns, facts.window().trace_end_ns - facts.window().trace_start_ns);
  if (share < kMinShare) {
    return NothingFound(
        fmt::format("all copy calls took {} ({})", FormatDuration(copy_ns), Percent(share)));
  }
  return Abstain(fmt::format("needs {}", kNeedsDevice));
}

Result<Detection> Find(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const IdlePicture* idle, LookAtIdle(facts));
  const IdlePicture& picture = *idle;
  if (picture.view != View::kDevice) return WithoutDeviceRows(facts);
  if (!facts.Has(Collector::kApiCall)) return Abstain(fmt::format("needs {}", kNeedsCalls));
  GPUWHY_ASSIGN_OR_RETURN(const Copies copies, Count(facts));
  const double share = RatioOf(copies.host_ns, picture.wall_ns());
  if (copies.count == 0) return NothingFound("no copy from pageable memory held the host");
  if (share < kMinShare) {
    return NothingFound(fmt::format("{} copies from pageable memory held the host {}",
                                    FormatCount(copies.count), FormatDuration(copies.host_ns)));
  }
  return Detection(std::vector<Finding>{MakeFinding(facts, picture, copies)});
}

}  // namespace

Detector Define() {
  return {.name = "pageable-copy-blocking",
          .question = "Did copies from pageable memory hold the host thread?",
          .find = &Find};
}

}  // namespace gpuwhy::tools::detectors::pageable_copy_blocking
