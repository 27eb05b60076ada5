// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/io_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "schema/base/text.h"
#include "tools/analysis/rules.h"

namespace gpuwhy {
namespace {

// The thread stops after it queued the read and runs again after the interrupt: starts and ends
// differ by some microseconds, so most of the read must lie in the wait.
constexpr double kPairedRatio = 0.5;

struct Event {
  Interval interval;
  int64_t bytes = 0;
  int64_t id = 0;
  bool is_io = false;  // a wait whose reason says so
};
struct ThreadEvents {
  std::vector<Event> reads;
  std::vector<Event> waits;
};

Status LoadReads(const TraceFacts& facts, std::map<int64_t, ThreadEvents>& threads) {
  return facts.db().Query(
      "SELECT thread_id, start_ns, duration_ns, coalesce(bytes, 0), id FROM host_event WHERE kind "
      "= "
      "'block_read' AND thread_id IS NOT NULL AND start_ns < ?2 AND start_ns + duration_ns > ?1 "
      "ORDER BY start_ns",
      {facts.window().start_ns, facts.window().end_ns}, [&](const Row& row) {
        threads[row.Int(0)].reads.push_back({.interval = {row.Int(1), row.Int(1) + row.Int(2)},
                                             .bytes = row.Int(3),
                                             .id = row.Int(4)});
      });
}

Status LoadWaits(const TraceFacts& facts, std::map<int64_t, ThreadEvents>& threads) {
  return facts.db().Query(
      "SELECT thread_id, start_ns, duration_ns, reason = 'io' FROM off_cpu NOT INDEXED WHERE "
      "(reason IN ('io', "
      "'fault') OR thread_id IN (SELECT thread_id FROM host_event WHERE kind = 'block_read')) AND "
      "start_ns < ?2 AND start_ns + duration_ns > ?1 ORDER BY start_ns",
      {facts.window().start_ns, facts.window().end_ns}, [&](const Row& row) {
        threads[row.Int(0)].waits.push_back(
            {.interval = {row.Int(1), row.Int(1) + row.Int(2)}, .is_io = row.Int(3) != 0});
      });
}

bool Covers(const Interval& wait, const Interval& read) {
  const int64_t both_ns =
      std::min(wait.end_ns, read.end_ns) - std::max(wait.start_ns, read.start_ns);
  return static_cast<double>(both_ns) >= kPairedRatio * static_cast<double>(read.duration_ns()) &&
         both_ns > 0;
}

// Reads and waits are both ascending, and a thread waits for one thing at a time.
void Pair(const ThreadEvents& events, IoWaits& io) {
  std::vector<Interval> blocked;
  size_t next = 0;
  for (const Event& wait : events.waits) {
    bool is_io = wait.is_io;
    while (next < events.reads.size() &&
           events.reads[next].interval.end_ns <= wait.interval.start_ns) {
      ++next;
    }
    while (next < events.reads.size() && Covers(wait.interval, events.reads[next].interval)) {
      ++io.paired_count;
      ++next;
      is_io = true;
    }
    if (is_io) blocked.push_back(wait.interval);
    ++io.switch_count;
    io.switch_ns += wait.interval.duration_ns();
  }
  io.blocked = Normalize(std::move(blocked));
}

IoWaits Summarize(int64_t thread_id, const ThreadEvents& events) {
  IoWaits io{.thread_id = thread_id};
  for (const Event& read : events.reads) {
    ++io.read_count;
    io.read_ns += read.interval.duration_ns();
    io.read_bytes += read.bytes;
    if (read.interval.duration_ns() <= io.longest_ns) continue;
    io.longest_ns = read.interval.duration_ns();
    io.longest_id = read.id;
  }
  Pair(events, io);
  return io;
}

}  // namespace

Result<std::vector<IoWaits>> FindIoWaits(const TraceFacts& facts) {
  std::map<int64_t, ThreadEvents> threads;
  GPUWHY_RETURN_IF_ERROR(LoadReads(facts, threads));
  GPUWHY_RETURN_IF_ERROR(LoadWaits(facts, threads));
  std::vector<IoWaits> all;
  for (const auto& [thread_id, events] : threads) {
    const ProcessInfo* process = facts.actors().ProcessOfThread(thread_id);
    if (process == nullptr || !facts.scope().HasProcess(process->id)) continue;
    if (rules::IsRecorder(process->name) || rules::IsJournal(process->name)) continue;
    IoWaits io = Summarize(thread_id, events);
    if (!io.blocked.empty()) all.push_back(std::move(io));
  }
  std::sort(all.begin(), all.end(), [](const IoWaits& a, const IoWaits& b) {
    return Length(a.blocked) > Length(b.blocked);
  });
  return all;
}

std::string ReadsSql(const TraceFacts& facts, int64_t thread_id) {
  return fmt::format(
      "SELECT count(*) AS reads, sum(duration_ns) AS read_ns, sum(bytes) AS bytes FROM host_event "
      "WHERE kind = 'block_read' AND thread_id = {} AND start_ns < {} AND start_ns + duration_ns > "
      "{}",
      thread_id, facts.window().end_ns, facts.window().start_ns);
}

Result<OwnIo> CountOwnIo(const TraceFacts& facts) {
  OwnIo io;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT thread_id, count(*) FROM host_event WHERE kind IN ('block_read', 'block_write') AND "
      "start_ns < ?2 AND start_ns + duration_ns >= ?1 GROUP BY thread_id",
      {facts.window().start_ns, facts.window().end_ns}, [&](const Row& row) {
        const ProcessInfo* process = facts.actors().ProcessOfThread(row.Int(0));
        io.event_count += row.Int(1);
        if (process == nullptr) return;
        if (rules::IsRecorder(process->name)) io.recorder_count += row.Int(1);
        if (rules::IsJournal(process->name)) io.journal_count += row.Int(1);
      }));
  return io;
}

std::string DescribeOwnIo(const OwnIo& io) {
  return fmt::format("all {} disk requests are the recorder's own ({}) or its journal's ({})",
                     FormatCount(io.event_count), FormatCount(io.recorder_count),
                     FormatCount(io.journal_count));
}

}  // namespace gpuwhy
