// SPDX-License-Identifier: Apache-2.0
// Ingero's trace databases. A file merged from several nodes becomes one capture per node.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "collectors/importers/importer.h"
#include "collectors/ingero/aggregates.h"
#include "collectors/ingero/context.h"
#include "collectors/ingero/events.h"
#include "collectors/ingero/losses.h"

namespace gpuwhy::collectors::importers::ingero {

namespace {

using namespace gpuwhy::ingero;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

bool Sniff(const FileHead& head) {
  if (!head.raw.starts_with(kSqliteMagic)) return false;
  if (SourceFile::Open(head.path).ok()) return true;
  // Truncated or damaged, but its first page still shows whose it is: Import says what is wrong.
  return head.raw.find("stack_hash") != std::string::npos &&
         head.raw.find("causal_chains") != std::string::npos;
}

struct NodeImport {
  const ImportRequest& request;
  const SourceFile& file;
  const std::string& node;
  bool is_first;
  int64_t row_count;  // of the whole file
};

void AddFact(CaptureRow& capture, std::string_view name, int64_t value) {
  auto facts = nlohmann::json::parse(capture.facts_json);
  facts[std::string(name)] = value;
  capture.facts_json = facts.dump();
}

// What the file says about events that are not rows.
Status ConvertTotals(const NodeImport& import, EventConverter& events, Actors& actors,
                     Recorder& recorder, CaptureRow& capture) {
  GPUWHY_ASSIGN_OR_RETURN(
      const AggregateTotals totals,
      ConvertAggregates(import.file, {recorder, actors, events.ops(), events.statistics()}));
  AddFact(capture, "aggregate_event_count", totals.event_count);
  AddFact(capture, "aggregate_stored_count", totals.stored_count);
  capture.is_selective = totals.unstored_count > 0;
  if (capture.is_selective) recorder.Count(kSelectiveStorage, totals.unstored_count);
  if (import.file.nodes().size() > 1) recorder.Count(kNodeUnknown, 1, {}, "event_aggregates");
  return {};
}

Result<int64_t> ImportNode(const NodeImport& import) {
  const SourceFile& file = import.file;
  GPUWHY_ASSIGN_OR_RETURN(CaptureRow capture, DescribeCapture(file, import.node));
  capture.path = import.request.head.path;
  GPUWHY_ASSIGN_OR_RETURN(const auto recorder, Recorder::Start(import.request.db, capture));
  GPUWHY_ASSIGN_OR_RETURN(bool has_aggregates, HasAggregates(file));
  has_aggregates = has_aggregates && import.is_first;
  if (has_aggregates) recorder->DisableRollUps();
  GPUWHY_ASSIGN_OR_RETURN(Owners owners, Owners::Read(file, import.node));
  Actors actors(std::move(owners), *recorder);
  EventConverter events(file, *recorder, actors);
  const auto& progress = import.request.progress;
  const auto size_bytes = static_cast<double>(import.request.head.size_bytes);
  GPUWHY_RETURN_IF_ERROR(events.Convert(import.node, [&](int64_t row_count) {
    const double done = static_cast<double>(row_count) / static_cast<double>(import.row_count);
    if (progress)
      progress(static_cast<uint64_t>(done * size_bytes), import.request.head.size_bytes);
  }));
  if (has_aggregates) {
    GPUWHY_RETURN_IF_ERROR(ConvertTotals(import, events, actors, *recorder, capture));
  } else if (events.row_count() > 0) {
    recorder->Count(kAggregatesMissing);
    if (capture.is_selective) recorder->Count(kSelectiveStorage);
  }
  // The session began long before its first event.
  if (events.row_count() > 0) recorder->FreezeTimeRange();
  GPUWHY_RETURN_IF_ERROR(ConvertGpus(file, import.node, *recorder));
  if (import.is_first) {
    GPUWHY_RETURN_IF_ERROR(ConvertSnapshots(file, *recorder));
    GPUWHY_RETURN_IF_ERROR(ConvertAnnotations(file, *recorder, actors));
  }
  GPUWHY_RETURN_IF_ERROR(ConvertChains(file, import.node, *recorder));
  GPUWHY_RETURN_IF_ERROR(actors.Describe(file, import.node));
  GPUWHY_RETURN_IF_ERROR(CountOmissions(file, import.node, *recorder));
  recorder->UpdateCapture(capture);
  GPUWHY_RETURN_IF_ERROR(recorder->Finish());
  return recorder->capture_id();
}

Result<int64_t> Import(const ImportRequest& request) {
  GPUWHY_ASSIGN_OR_RETURN(const SourceFile file, SourceFile::Open(request.head.path));
  file.db().SetInterrupt(request.stop, {});
  GPUWHY_ASSIGN_OR_RETURN(const int64_t row_count,
                          file.db().QueryInt("SELECT count(*) FROM events"));
  int64_t first_capture_id = 0;
  for (const std::string& node : file.nodes()) {
    GPUWHY_ASSIGN_OR_RETURN(const int64_t capture_id,
                            ImportNode({.request = request,
                                        .file = file,
                                        .node = node,
                                        .is_first = first_capture_id == 0,
                                        .row_count = std::max<int64_t>(row_count, 1)}));
    if (first_capture_id == 0) first_capture_id = capture_id;
  }
  return first_capture_id;
}

}  // namespace

Importer Define() {
  return {.name = "ingero",
          .description = "Ingero trace database (SQLite)",
          .priority = 90,
          .sniff = &Sniff,
          .import = &Import};
}

}  // namespace gpuwhy::collectors::importers::ingero
