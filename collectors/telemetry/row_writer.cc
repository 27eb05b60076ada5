// SPDX-License-Identifier: Apache-2.0
#include "collectors/telemetry/row_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "collectors/telemetry/losses.h"
#include "collectors/telemetry/units.h"
#include "schema/base/text.h"

namespace gpuwhy::telemetry {
namespace {

constexpr size_t kNoElement = SIZE_MAX;
constexpr size_t kMaxElements = 64;
constexpr std::string_view kMemoryTotal = "memory_total";

std::string_view CellOf(const Layout& layout, std::span<const std::string_view> cells, Role role) {
  for (size_t i = 0; i < cells.size(); ++i) {
    if (layout.columns[i].role == role) return cells[i];
  }
  return {};
}

// Of numbers in the time column; 0 when the header does not say.
int64_t TimeUnitNs(const Layout& layout) {
  for (const Column& column : layout.columns) {
    if (column.role != Role::kTime) continue;
    return column.unit == "ns" ? static_cast<int64_t>(column.factor) : 0;
  }
  return 0;
}

// Without a unit of its own a value has that of its column.
bool HasOtherUnit(const Column& column, const UnitWord* own) {
  return own != nullptr && !column.unit.empty() && own->unit != column.unit;
}

}  // namespace

void RowWriter::Write(Layout& layout, std::span<const std::string_view> cells) {
  if (!IsOfOneHost(CellOf(layout, cells, Role::kHost))) {
    return recorder_.Count(kRowOfOtherHost, 1, {}, CellOf(layout, cells, Role::kHost));
  }
  const std::string_view entity = CellOf(layout, cells, Role::kEntity);
  if (!entity.empty() && entity != "GPU") {
    return recorder_.Count(kRowOfOtherEntity, 1, {}, entity);
  }
  Place place;
  if (!FindPlace(layout, cells, place)) return;
  if (driver_.empty()) driver_ = CleanText(CellOf(layout, cells, Role::kDriver));
  for (size_t i = 0; i < cells.size(); ++i) {
    Column& column = layout.columns[i];
    if (column.role == Role::kMeasure) WriteCell(column, cells[i], place);
    if (column.role == Role::kText) recorder_.Count(kTextNotStored, 1, {}, column.header);
  }
}

bool RowWriter::IsOfOneHost(std::string_view host) {
  if (ReadCell(host).kind == CellKind::kMissing) return true;
  if (host_.empty()) host_ = CleanText(host);
  return host_ == CleanText(host);
}

bool RowWriter::FindPlace(const Layout& layout, std::span<const std::string_view> cells,
                          Place& place) {
  const auto cell = [&](Role role) { return CellOf(layout, cells, role); };
  place.device = devices_.Find({.index = cell(Role::kIndex),
                                .uuid = cell(Role::kUuid),
                                .bus_id = cell(Role::kBusId),
                                .name = cell(Role::kGpuName),
                                .compute_capability = cell(Role::kComputeCapability)});
  if (place.device == nullptr) {
    recorder_.Count(kTooManySeries, 1, {}, cell(Role::kIndex));
    return false;
  }
  if (!layout.HasRole(Role::kTime)) {
    place.time_ns = clock_.MadeUpTime(place.device->row_count++);
    return true;
  }
  const auto time_ns = clock_.TimeOf(cell(Role::kDate), cell(Role::kTime), TimeUnitNs(layout));
  if (!time_ns) recorder_.Count(kRowWithoutTime, 1, {}, cell(Role::kTime));
  place.time_ns = time_ns.value_or(0);
  return time_ns.has_value();
}

void RowWriter::WriteCell(Column& column, std::string_view text, const Place& place) {
  if (IsList(text)) return WriteList(column, text, place);
  const Cell cell = ReadCell(text, column.style);
  if (cell.kind == CellKind::kNumber) return WriteNumber(column, cell, place, kNoElement);
  if (cell.kind == CellKind::kMissing) {
    return recorder_.Count(kValueMissing, 1, place.time_ns, column.header);
  }
  const LossKind& kind = column.has_known_unit ? kValueUnreadable : kTextNotStored;
  recorder_.Count(kind, 1, place.time_ns, fmt::format("{}: {}", column.header, text));
}

void RowWriter::WriteList(Column& column, std::string_view text, const Place& place) {
  std::string_view inside = text.substr(1, text.size() - 2);
  for (size_t element = 0; !inside.empty(); ++element) {
    const Cell cell = ReadCell(TakeElement(inside), column.style);
    if (element >= kMaxElements) {
      recorder_.Count(kTooManySeries, 1, place.time_ns, column.header);
    } else if (cell.kind == CellKind::kNumber) {
      WriteNumber(column, cell, place, element);
    } else {
      const bool is_missing = cell.kind == CellKind::kMissing;
      recorder_.Count(is_missing ? kValueMissing : kValueUnreadable, 1, place.time_ns,
                      column.header);
    }
  }
}

void RowWriter::WriteNumber(Column& column, const Cell& cell, const Place& place, size_t element) {
  const UnitWord* own = cell.unit.empty() ? nullptr : FindUnit(cell.unit);
  const double value = cell.number * (own != nullptr ? own->factor : column.factor);
  const bool is_unit_unknown = own == nullptr && !cell.unit.empty();
  if (is_unit_unknown || HasOtherUnit(column, own) || !std::isfinite(value)) {
    const LossKind& kind = column.has_known_unit ? kValueUnreadable : kTextNotStored;
    return recorder_.Count(kind, 1, place.time_ns,
                           fmt::format("{}: {} {}", column.header, cell.number, cell.unit));
  }
  if (column.unit.empty()) {
    column.unit = own != nullptr ? own->unit : "count";
    column.has_known_unit = own != nullptr;
  }
  const std::string& name = NameOf(column, element);
  if (name.empty()) return recorder_.Count(kTooManySeries, 1, place.time_ns, column.header);
  recorder_.AddCounterValue({.name = name, .unit = column.unit, .gpu_id = place.device->gpu_id},
                            place.time_ns, value);
  ++value_count_;
  if (column.stem == kMemoryTotal) devices_.SetMemory(*place.device, value);
}

const std::string& RowWriter::NameOf(Column& column, size_t element) {
  static const std::string none;
  if (column.is_dropped) return none;
  const bool is_list = element != kNoElement;
  if (is_list && column.element_names.size() <= element) column.element_names.resize(element + 1);
  std::string& name = is_list ? column.element_names[element] : column.counter_name;
  if (!name.empty()) return name;
  const std::string stem = is_list ? fmt::format("{}_{}", column.stem, element) : column.stem;
  name = Registered(CounterName(stem, column.unit), column);
  column.is_dropped = name.empty();
  return name;
}

std::string RowWriter::Registered(std::string name, const Column& column) {
  if (names_.contains(name)) return name;
  if (names_.size() == kMaxNames) return {};
  if (!column.has_known_unit && column.unit == "count") {
    recorder_.Count(kColumnWithoutUnit, 1, {}, column.header);
  }
  names_.insert(name);
  return name;
}

}  // namespace gpuwhy::telemetry
