// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/ledger.h"

#include <map>
#include <random>

#include "tests/catch.h"

namespace gpuwhy {
namespace {

constexpr int64_t kSpanNs = 400;

bool Contains(const Intervals& set, int64_t time_ns) {
  return LengthWithin(set, {time_ns, time_ns + 1}) == 1;
}

// The order of the causes, written down a second time: what a reader of F3 would say of one
// instant.
IdleClass HostClassAt(const ThreadRecord* record, int64_t time_ns) {
  if (record == nullptr) return IdleClass::kHostUnobserved;
  if (time_ns >= record->end_ns) return IdleClass::kEndOfTrace;
  for (const IdleClass idle_class :
       {IdleClass::kSyncCall, IdleClass::kCopyCall, IdleClass::kAllocationCall,
        IdleClass::kModuleLoad, IdleClass::kLaunchCall, IdleClass::kRunnable, IdleClass::kPageFault,
        IdleClass::kBlockIo, IdleClass::kNetwork, IdleClass::kLock, IdleClass::kDataLoader,
        IdleClass::kHandOver, IdleClass::kSleep, IdleClass::kOffCpuUnknown}) {
    if (Contains(record->states[static_cast<size_t>(idle_class)], time_ns)) return idle_class;
  }
  if (Contains(record->code, time_ns)) {
    return record->is_scheduling_known ? IdleClass::kPythonOnCpu : IdleClass::kHostCode;
  }
  return record->is_scheduling_known ? IdleClass::kNativeOnCpu : IdleClass::kHostUnobserved;
}

IdleClass ClassAt(const Gap& gap, const Intervals& overhead, const ThreadRecord* record,
                  int64_t time_ns) {
  if (Contains(overhead, time_ns)) return IdleClass::kProfilerOverhead;
  if (time_ns >= gap.launch_end_ns) {
    return time_ns - gap.launch_end_ns < kLaunchLatencyNs ? IdleClass::kLaunchLatency
                                                          : IdleClass::kDeviceQueue;
  }
  if (gap.is_start_up) return IdleClass::kStartUp;
  const IdleClass host = HostClassAt(record, time_ns);
  return gap.is_last && host == IdleClass::kHostUnobserved ? IdleClass::kEndOfTrace : host;
}

class RandomCase {
 public:
  explicit RandomCase(unsigned seed) : random_(seed) {}

  int64_t Number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  bool Chance(int one_in) { return Number(1, one_in) == 1; }

  Intervals Set() {
    std::vector<Interval> any;
    for (int64_t n = Number(0, 6); n > 0; --n) {
      const int64_t start_ns = Number(0, kSpanNs);
      any.push_back({start_ns, start_ns + Number(0, 40)});
    }
    return Normalize(any);
  }

  ThreadRecord Record(int64_t thread_id) {
    ThreadRecord record = {.thread_id = thread_id, .is_scheduling_known = Chance(2)};
    for (Intervals& states : record.states) {
      if (Chance(3)) states = Set();
    }
    record.code = Set();
    if (Chance(4)) record.end_ns = Number(0, kSpanNs);
    return record;
  }

  std::vector<Gap> Gaps() {
    std::vector<Gap> gaps;
    int64_t at_ns = Number(0, 20);
    while (at_ns < kSpanNs - 50) {
      Gap gap = {.start_ns = at_ns, .end_ns = at_ns + Number(1, 50), .thread_id = Number(0, 3)};
      // Launches long ago, just before and inside the gap, and unknown ones.
      if (Chance(2)) gap.launch_end_ns = gap.end_ns - Number(0, 60);
      if (Chance(5)) gap.launch_end_ns = gap.start_ns + Number(0, 20) - kLaunchLatencyNs;
      gaps.push_back(gap);
      at_ns = gap.end_ns + Number(1, 30);
    }
    gaps.front().is_start_up = Chance(2);
    gaps.back().is_last = Chance(2);
    return gaps;
  }

 private:
  std::mt19937 random_;
};

TEST_CASE("ledger: every nanosecond gets the first cause that holds, and the parts sum to the idle",
          "[analysis]") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    RandomCase random(seed);
    const std::vector<Gap> gaps = random.Gaps();
    const Intervals overhead = random.Set();
    std::map<int64_t, ThreadRecord> records;
    for (int64_t thread_id = 1; thread_id <= 2; ++thread_id)
      records[thread_id] = random.Record(thread_id);
    const auto record_of = [&](int64_t id) -> const ThreadRecord* {
      const auto it = records.find(id);
      return it == records.end() ? nullptr : &it->second;
    };
    const LedgerInput input = {.gaps = gaps, .overhead = overhead, .record_of = record_of};

    const Ledger ledger = MakeLedger(input);

    int64_t idle_ns = 0;
    ClassTimes expected_totals{};
    for (const Gap& gap : gaps) {
      ClassTimes expected{};
      for (int64_t t = gap.start_ns; t < gap.end_ns; ++t)
        ++expected[static_cast<size_t>(ClassAt(gap, overhead, record_of(gap.thread_id), t))];
      CHECK(TimesOfGap(input, gap) == expected);
      for (size_t i = 0; i < expected.size(); ++i)
        expected_totals[i] += expected[i];
      idle_ns += gap.duration_ns();
    }
    for (size_t i = 0; i < expected_totals.size(); ++i)
      CHECK(ledger.totals[i].time_ns == expected_totals[i]);
    CHECK(ledger.idle_ns == idle_ns);
  }
}

TEST_CASE("ledger: totals count gaps and the largest part of one gap", "[analysis]") {
  const std::vector<Gap> gaps = {{.start_ns = 0, .end_ns = 10, .thread_id = 0},
                                 {.start_ns = 20, .end_ns = 50, .thread_id = 0}};

  const Intervals overhead = {{5, 25}};
  const LedgerInput input = {.gaps = gaps, .overhead = overhead, .record_of = [](int64_t) {
                               return static_cast<const ThreadRecord*>(nullptr);
                             }};

  const Ledger ledger = MakeLedger(input);

  CHECK(ledger.of(IdleClass::kProfilerOverhead).time_ns == 10);
  CHECK(ledger.of(IdleClass::kProfilerOverhead).gap_count == 2);
  CHECK(ledger.of(IdleClass::kProfilerOverhead).longest_ns == 5);
  CHECK(ledger.of(IdleClass::kHostUnobserved).time_ns == 30);
  CHECK(ledger.of(IdleClass::kHostUnobserved).longest_ns == 25);
  CHECK(MainClass(TimesOfGap(input, gaps[1])) == IdleClass::kHostUnobserved);
}

TEST_CASE("idle classes: each has its own key, label and place", "[analysis]") {
  std::map<std::string_view, int> keys;
  for (const IdleClassInfo& info : AllIdleClasses()) {
    CHECK(&InfoOf(info.idle_class) == &info);
    CHECK(++keys[info.key] == 1);
    CHECK_FALSE(info.label.empty());
  }
}

}  // namespace
}  // namespace gpuwhy
