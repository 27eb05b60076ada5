// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/ebpf/stored_calls.h"

#include "tests/catch.h"

namespace gpuwhy {

StoredCalls ReadCalls(const RecordedRun& run) {
  StoredCalls calls;
  const auto read = [&](const Row& row) {
    calls.emplace(row.Text(0),
                  StoredCall{row.Int(1), row.Int(2), row.Int(3), row.Int(4), row.Int(5), row.Int(6),
                             row.Int(7), std::string(row.Text(8))});
  };
  REQUIRE(run.db
              ->Query("SELECT n.text, a.start_ns, a.duration_ns, t.tid, coalesce(a.bytes, 0), "
                      "a.return_code, coalesce(a.parent_id, 0), coalesce(a.stream, -1), "
                      "coalesce(a.copy_kind, '') FROM api_call a JOIN name n ON n.id = a.name_id "
                      "JOIN thread t ON t.id = a.thread_id ORDER BY a.start_ns",
                      {}, read)
              .ok());
  return calls;
}

const StoredCall* Around(const StoredCalls& calls, const TrueCall& truth, int64_t offset_ns) {
  const auto [begin, end] = calls.equal_range(truth.name);
  for (auto it = begin; it != end; ++it) {
    const StoredCall& call = it->second;
    if (call.tid == truth.tid && call.start_ns <= truth.entry_ns + offset_ns &&
        call.start_ns + call.duration_ns >= truth.exit_ns + offset_ns) {
      return &call;
    }
  }
  return nullptr;
}

}  // namespace gpuwhy
