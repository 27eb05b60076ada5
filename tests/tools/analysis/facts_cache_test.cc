// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/facts_cache.h"

#include "tests/catch.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

constexpr Window kWindow = {.start_ns = 0, .end_ns = 101, .trace_start_ns = 0, .trace_end_ns = 100};

void AddOp(const TraceDb& db) {
  REQUIRE(db.Execute("INSERT INTO gpu_op (start_ns, duration_ns, gpu_id, kind, name_id) "
                     "VALUES (10, 20, 1, 'kernel', 1)")
              .ok());
}

size_t OpCount(const Result<const TraceFacts*>& facts) {
  return facts.value()->DeviceOps().value()->size();
}

class FactsCacheFixture {
 public:
  FactsCacheFixture() { AddOp(writer_); }

  Result<const TraceFacts*> Load(const Window& window = kWindow, const Scope& scope = {}) {
    return cache_.Load({.db = reader_, .window = window, .stop = {}, .scope = scope});
  }

 protected:
  TempDir dir_;
  TraceDb writer_ = TraceDb::OpenForWriting(dir_.File("t.db")).value();
  TraceDb reader_ = TraceDb::OpenReadOnly(dir_.File("t.db")).value();
  FactsCache cache_;
};

TEST_CASE_METHOD(FactsCacheFixture, "facts cache: the same question finds the same rows loaded",
                 "[analysis]") {
  const auto* ops = Load().value()->DeviceOps().value();

  CHECK(Load().value()->DeviceOps().value() == ops);
}

TEST_CASE_METHOD(FactsCacheFixture, "facts cache: another window or scope is loaded anew",
                 "[analysis]") {
  CHECK(OpCount(Load()) == 1);

  CHECK(OpCount(Load({.start_ns = 50, .end_ns = 101, .trace_end_ns = 100})) == 0);
  CHECK(OpCount(Load(kWindow, {.gpu_ids = {2}})) == 0);
  CHECK(OpCount(Load()) == 1);
}

TEST_CASE_METHOD(FactsCacheFixture, "facts cache: what a recorder adds is seen", "[analysis]") {
  CHECK(OpCount(Load()) == 1);
  AddOp(writer_);

  CHECK(OpCount(Load()) == 2);
}

TEST_CASE_METHOD(FactsCacheFixture, "facts cache: a stopped call does not stop the next one",
                 "[analysis]") {
  std::stop_source stop;
  stop.request_stop();
  const auto stopped =
      cache_.Load({.db = reader_, .window = kWindow, .stop = stop.get_token(), .scope = {}});
  CHECK_FALSE(stopped.value()->DeviceOps().ok());

  CHECK(OpCount(Load()) == 1);
}

TEST_CASE_METHOD(FactsCacheFixture, "facts: two tables loaded at once are the same as one by one",
                 "[analysis]") {
  REQUIRE(writer_
              .Execute("INSERT INTO api_call (start_ns, duration_ns, thread_id, name_id) "
                       "VALUES (1, 2, 3, 4), (0, 5, 6, 7)")
              .ok());
  const auto load = [&](int64_t side_by_side_rows) {
    return TraceFacts::Load({.db = reader_,
                             .window = kWindow,
                             .stop = {},
                             .scope = {},
                             .side_by_side_rows = side_by_side_rows})
        .value();
  };
  const auto at_once = load(1);
  const auto one_by_one = load(1000);

  const auto starts = [](const TraceFacts& facts) {
    std::vector<int64_t> all;
    for (const HostCall& call : *facts.HostCalls().value())
      all.push_back(call.start_ns);
    for (const DeviceOp& op : *facts.DeviceOps().value())
      all.push_back(op.start_ns);
    return all;
  };
  CHECK(starts(*at_once) == std::vector<int64_t>{0, 1, 10});
  CHECK(starts(*one_by_one) == starts(*at_once));
}

TEST_CASE_METHOD(FactsCacheFixture, "facts: a question is answered once for all who ask",
                 "[analysis]") {
  static int asked = 0;
  asked = 0;
  Result<int> (*const ask)(const TraceFacts&) = [](const TraceFacts&) -> Result<int> {
    return ++asked;
  };
  const TraceFacts& facts = *Load().value();

  CHECK(*facts.Once(ask).value() == 1);
  CHECK(*facts.Once(ask).value() == 1);
}

}  // namespace
}  // namespace gpuwhy
