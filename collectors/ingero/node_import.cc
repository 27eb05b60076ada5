// SPDX-License-Identifier: Apache-2.0
#include "collectors/ingero/node_import.h"

#include <nlohmann/json.hpp>

#include "collectors/ingero/aggregates.h"
#include "collectors/ingero/context.h"
#include "collectors/ingero/losses.h"

namespace gpuwhy::ingero {

NodeImport::NodeImport(const NodeRequest& request, CaptureRow capture,
                       std::unique_ptr<Recorder> recorder, Owners owners)
    : request_(request),
      capture_(std::move(capture)),
      recorder_(std::move(recorder)),
      actors_(std::move(owners), *recorder_),
      events_(request_.file, *recorder_, actors_) {}

Result<std::unique_ptr<NodeImport>> NodeImport::Start(const NodeRequest& request) {
  GPUWHY_ASSIGN_OR_RETURN(CaptureRow capture, DescribeCapture(request.file, request.node));
  GPUWHY_ASSIGN_OR_RETURN(Owners owners, Owners::Read(request.file, request.node));
  GPUWHY_ASSIGN_OR_RETURN(const bool has_aggregates, HasAggregates(request.file));
  capture.path = request.import.head.path;
  GPUWHY_ASSIGN_OR_RETURN(auto recorder, Recorder::Start(request.import.db, capture));
  std::unique_ptr<NodeImport> node(
      new NodeImport(request, std::move(capture), std::move(recorder), std::move(owners)));
  node->has_aggregates_ = has_aggregates && request.is_first;
  if (node->has_aggregates_) node->recorder_->DisableRollUps();
  return node;
}

Result<int64_t> NodeImport::Run() {
  GPUWHY_RETURN_IF_ERROR(ConvertEvents());
  GPUWHY_RETURN_IF_ERROR(ConvertTotals());
  // The session began long before its first event.
  if (events_.RowCount() > 0) recorder_->FreezeTimeRange();
  GPUWHY_RETURN_IF_ERROR(ConvertContext());
  recorder_->UpdateCapture(capture_);
  GPUWHY_RETURN_IF_ERROR(recorder_->Finish());
  return recorder_->capture_id();
}

Status NodeImport::ConvertEvents() {
  const auto& progress = request_.import.progress;
  const uint64_t size_bytes = request_.import.head.size_bytes;
  return events_.Convert(request_.node, [&](int64_t row_count) {
    const double done =
        static_cast<double>(row_count) / static_cast<double>(request_.file_row_count);
    if (progress)
      progress(static_cast<uint64_t>(done * static_cast<double>(size_bytes)), size_bytes);
  });
}

void NodeImport::AddFact(std::string_view name, int64_t value) {
  auto facts = nlohmann::json::parse(capture_.facts_json, nullptr, false);
  facts[std::string(name)] = value;
  capture_.facts_json = facts.dump();
}

// What the file says about events that are not rows.
Status NodeImport::ConvertTotals() {
  if (!has_aggregates_) {
    if (events_.RowCount() == 0) return {};
    recorder_->Count(kAggregatesMissing);
    if (capture_.is_selective) recorder_->Count(kSelectiveStorage);
    return {};
  }
  GPUWHY_ASSIGN_OR_RETURN(
      const AggregateTotals totals,
      ConvertAggregates(request_.file, {*recorder_, actors_, events_.Ops(), events_.Statistics()}));
  AddFact("aggregate_event_count", totals.event_count);
  AddFact("aggregate_stored_count", totals.stored_count);
  capture_.is_selective = totals.unstored_count > 0;
  if (capture_.is_selective) recorder_->Count(kSelectiveStorage, totals.unstored_count);
  if (request_.file.Nodes().size() > 1) recorder_->Count(kNodeUnknown, 1, {}, "event_aggregates");
  return {};
}

Status NodeImport::ConvertContext() {
  const SourceFile& file = request_.file;
  GPUWHY_RETURN_IF_ERROR(ConvertGpus(file, request_.node, *recorder_));
  if (request_.is_first) {
    GPUWHY_RETURN_IF_ERROR(ConvertSnapshots(file, *recorder_));
    GPUWHY_RETURN_IF_ERROR(ConvertAnnotations(file, *recorder_, actors_));
  }
  GPUWHY_RETURN_IF_ERROR(ConvertChains(file, request_.node, *recorder_));
  GPUWHY_RETURN_IF_ERROR(actors_.Describe(file, request_.node));
  return CountOmissions(file, request_.node, *recorder_);
}

}  // namespace gpuwhy::ingero
