// SPDX-License-Identifier: Apache-2.0
// One second of a recording as JSON.
#include "schema/base/text.h"
#include "server/commands/live_view.h"

namespace gpuwhy {
namespace {

Json OperationJson(const OperationSecond& operation) {
  return {{"source", NameOf(operation.source)},
          {"name", CleanText(operation.name)},
          {"event_count", operation.event_count},
          {"sum_ns", operation.sum_ns},
          {"p50_ns", operation.histogram.Percentile(0.50)},
          {"p95_ns", operation.histogram.Percentile(0.95)},
          {"p99_ns", operation.histogram.Percentile(0.99)},
          {"max_ns", operation.max_ns},
          {"sum_bytes", operation.sum_bytes}};
}

Json ThreadJson(const ThreadLabel& thread) {
  return {{"name", CleanText(thread.name)}, {"pid", thread.pid}, {"tid", thread.tid}};
}

}  // namespace

Json LiveJson(const LiveState& state) {
  const SecondSummary& second = state.second;
  Json json = {{"type", "second"},
               {"elapsed_s", state.elapsed_seconds},
               {"target_count", second.target_count},
               {"event_count", second.event_count},
               {"total_event_count", second.total_event_count},
               {"total_stored_count", second.total_stored_count},
               {"database_bytes", state.database_bytes},
               {"operations", Json::array()},
               {"waits", Json::array()},
               {"unlisted_wait_ns", second.unlisted_wait_ns},
               {"losses", Json::object()}};
  for (const OperationSecond& operation : second.operations)
    json["operations"].push_back(OperationJson(operation));
  for (const WaitPair& pair : second.waits) {
    json["waits"].push_back({{"waiter", ThreadJson(pair.waiter)},
                             {"other", ThreadJson(pair.other)},
                             {"reason", pair.reason},
                             {"wait_count", pair.wait_count},
                             {"sum_ns", pair.sum_ns}});
  }
  for (const LossSecond& loss : second.losses)
    json["losses"][loss.name] = loss.total_count;
  return json;
}

}  // namespace gpuwhy
