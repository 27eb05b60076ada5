// SPDX-License-Identifier: Apache-2.0
#include "collectors/telemetry/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collectors/telemetry/cell.h"
#include "collectors/telemetry/timestamp.h"
#include "collectors/telemetry/units.h"
#include "collectors/text/trim.h"
#include "schema/base/text.h"

namespace gpuwhy::telemetry {
namespace {

// A header taken apart: "power.draw [W]", "Power (W)" and "power_w" are power with unit W.
struct HeaderName {
  std::string key;   // normalized, with a unit that is part of the name
  std::string stem;  // the same without
  std::string_view unit_word;
};

// nvidia-smi, dcgmi and amd-smi print mebibytes as MB.
std::string_view UnitWordOf(Tool tool, std::string_view word) {
  return word == "MB" && tool != Tool::kScript ? "MiB" : word;
}

HeaderName TakeApart(std::string_view header) {
  HeaderName name;
  const size_t open = header.find_last_of("[(");
  if (open != std::string_view::npos && open > 0) {
    const std::string_view inside = Trim(header.substr(open + 1), " \t])");
    if (FindUnit(inside) != nullptr) {
      name.unit_word = inside;
      header = header.substr(0, open);
    }
  }
  name.key = name.stem = NormalizeName(header);
  const size_t last = name.key.rfind('_');
  if (!name.unit_word.empty() || last == std::string::npos) return name;
  const UnitWord* unit = FindUnit(std::string_view(name.key).substr(last + 1));
  if (unit == nullptr) return name;
  name.unit_word = unit->word;
  name.stem.resize(last);
  return name;
}

void SetUnit(std::string_view word, Column& column) {
  const UnitWord* unit = FindUnit(word);
  if (unit == nullptr) return;
  column.unit = unit->unit;
  column.factor = unit->factor;
}

// The unit that the name stands for where nothing says more. A script's "memory" may be bytes as
// NVML gives them as well as MiB, so its first value must tell.
std::string_view DefaultUnit(Tool tool, const KnownColumn* known, std::string_view key) {
  if (known == nullptr) return tool == Tool::kAmdSmi && key.ends_with("_clk") ? "MHz" : "";
  return tool == Tool::kScript && known->unit == "MiB" ? "" : known->unit;
}

// "power_w" is known by its stem; "gpu_count" and "gpu_w" are no device index.
const KnownColumn* FindKnown(Tool tool, const HeaderName& name) {
  if (const KnownColumn* known = FindKnownColumn(tool, name.key)) return known;
  const KnownColumn* known = FindKnownColumn(tool, name.stem);
  const bool has_unit =
      known != nullptr && (known->role == Role::kMeasure || known->role == Role::kTime);
  return has_unit ? known : nullptr;
}

Column ColumnOf(std::string_view header, Tool tool) {
  const HeaderName name = TakeApart(header);
  const KnownColumn* known = FindKnown(tool, name);
  Column column{.header = CleanText(header)};
  const std::string_view default_unit = DefaultUnit(tool, known, name.key);
  SetUnit(name.unit_word.empty() ? default_unit : UnitWordOf(tool, name.unit_word), column);
  column.has_known_unit = !column.unit.empty();
  column.stem = name.stem;
  if (known != nullptr) {
    column.role = known->role;
    column.style = known->style;
    if (!known->stem.empty()) column.stem = known->stem;
  }
  if (column.stem.starts_with("clocks_throttle_reasons")) {
    column.stem.replace(0, std::string_view("clocks_throttle").size(), "clocks_event");
  }
  return column;
}

// Several columns of one role or name (clocks.sm and clocks.current.sm): the first has it, the
// others keep their own names and become series like any other.
void MakeUnique(Layout& layout) {
  std::set<std::string, std::less<>> stems;
  std::set<Role> roles;
  for (size_t i = 0; i < layout.columns.size(); ++i) {
    Column& column = layout.columns[i];
    const bool is_role_taken = column.role != Role::kMeasure && !roles.insert(column.role).second;
    if (is_role_taken && column.role != Role::kText) column.role = Role::kMeasure;
    if (column.role != Role::kMeasure) continue;
    if (column.stem.empty() || stems.contains(column.stem)) {
      column.stem = NormalizeName(column.header);
    }
    if (column.stem.empty() || stems.contains(column.stem)) {
      column.stem += fmt::format("{}column_{}", column.stem.empty() ? "" : "_", i + 1);
    }
    stems.insert(column.stem);
  }
}

std::vector<std::string> KeysOf(std::span<const std::string_view> names) {
  std::vector<std::string> keys;
  keys.reserve(names.size());
  for (const std::string_view name : names)
    keys.push_back(TakeApart(name).key);
  return keys;
}

// Groups of nvidia-smi's properties.
constexpr std::string_view kNvidiaGroups[] = {
    "clocks_", "power_", "utilization_", "temperature_",   "memory_",        "ecc_",
    "pcie_",   "fan_",   "encoder_",     "retired_pages_", "remapped_rows_", "used_gpu_memory"};

bool IsWordOfNvidia(std::string_view key) {
  return IsWordOf(Tool::kNvidiaQuery, key) ||
         std::any_of(std::begin(kNvidiaGroups), std::end(kNvidiaGroups),
                     [&](std::string_view group) { return key.starts_with(group); });
}

// Other tools have the words too, but not with dots inside or units in brackets behind them.
bool IsNvidiaQuery(std::span<const std::string_view> names, const std::vector<std::string>& keys) {
  for (size_t i = 0; i < names.size(); ++i) {
    const bool has_dot = names[i].find('.') != std::string_view::npos;
    const bool has_unit = names[i].find(" [") != std::string_view::npos && names[i].ends_with(']');
    if ((has_dot || has_unit) && IsWordOfNvidia(keys[i])) return true;
  }
  return false;
}

Tool ToolOfHeader(std::span<const std::string_view> names) {
  const std::vector<std::string> keys = KeysOf(names);
  if (IsNvidiaQuery(names, keys)) return Tool::kNvidiaQuery;
  const auto is_amd = [](const std::string& key) {
    return key.starts_with("gfx_") || key == "socket_power";
  };
  if (std::find(keys.begin(), keys.end(), "gpu") != keys.end() &&
      std::any_of(keys.begin(), keys.end(), is_amd)) {
    return Tool::kAmdSmi;
  }
  const auto is_time = [](const std::string_view name) {
    const Role role = ColumnOf(name, Tool::kScript).role;
    return role == Role::kTime || role == Role::kDate;
  };
  const auto is_measure = [](const std::string_view name) {
    return IsWordOf(Tool::kScript, TakeApart(name).stem) &&
           ColumnOf(name, Tool::kScript).role == Role::kMeasure;
  };
  const bool is_script = std::any_of(names.begin(), names.end(), is_time) &&
                         std::any_of(names.begin(), names.end(), is_measure);
  return is_script ? Tool::kScript : Tool::kUnknown;
}

bool IsUuid(std::string_view text) {
  return text.starts_with("GPU-") || text.starts_with("MIG-");
}

// "00000000:0A:00.0"
bool IsBusId(std::string_view text) {
  return text.size() >= 12 && text.ends_with(".0") && text[text.size() - 5] == ':';
}

Column ColumnOfCell(std::string_view cell, size_t position) {
  Column column{.header = fmt::format("column {}", position)};
  column.stem = fmt::format("column_{}", position);
  column.has_known_unit = false;
  if (ParseDateTime(cell)) column.role = Role::kTime;
  if (IsUuid(cell)) column.role = Role::kUuid;
  if (IsBusId(cell)) column.role = Role::kBusId;
  return column;
}

}  // namespace

bool Layout::HasRole(Role role) const {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& column) { return column.role == role; });
}

std::optional<Layout> LayoutOfHeader(std::span<const std::string_view> names) {
  const Tool tool = ToolOfHeader(names);
  if (tool == Tool::kUnknown) return std::nullopt;
  return LayoutOfFields(names, tool);
}

Layout LayoutOfFields(std::span<const std::string_view> names, Tool tool) {
  Layout layout{.tool = tool};
  for (const std::string_view name : names)
    layout.columns.push_back(ColumnOf(name, tool));
  MakeUnique(layout);
  return layout;
}

std::optional<Layout> LayoutOfHashLine(std::span<const std::string_view> words) {
  if (words.size() < 2) return std::nullopt;
  const bool is_dcgm = words[0] == "Entity";
  const Tool tool = is_dcgm ? Tool::kDcgmiDmon : Tool::kNvidiaDmon;
  const auto is_word = [&](const std::string_view word) {
    return IsWordOf(tool, NormalizeName(word));
  };
  const bool has_device = std::find(words.begin(), words.end(), "gpu") != words.end();
  const bool is_dmon = has_device && std::any_of(words.begin(), words.end(), is_word);
  if (!is_dcgm && !is_dmon) return std::nullopt;
  Layout layout = LayoutOfFields(words, tool);
  layout.has_separators = false;
  // Rows are "GPU 0 0.170": the kind of entity and its number.
  if (is_dcgm) {
    layout.columns.insert(layout.columns.begin() + 1, {.header = "ID", .role = Role::kIndex});
  }
  return layout;
}

// Rows of numbers alone may be anything: nvidia-smi's form of dates, units or ids tell.
std::optional<Layout> LayoutOfRow(std::span<const std::string_view> cells) {
  if (cells.size() < 2 || !ParseDateTime(cells[0])) return std::nullopt;
  const bool is_of_nvidia = cells[0].find('/') != std::string_view::npos;
  Layout layout{.tool = is_of_nvidia ? Tool::kNvidiaQuery : Tool::kUnknown};
  bool is_telemetry = is_of_nvidia;
  bool has_number = false;
  for (size_t i = 0; i < cells.size(); ++i) {
    layout.columns.push_back(ColumnOfCell(cells[i], i + 1));
    const Cell cell = ReadCell(cells[i]);
    const bool has_unit = FindUnit(cell.unit) != nullptr;
    const bool is_number = cell.kind == CellKind::kNumber && (has_unit || cell.unit.empty());
    has_number = has_number || (i > 0 && is_number);
    is_telemetry = is_telemetry || (is_number && has_unit) || IsUuid(cells[i]);
  }
  if (!is_telemetry || !has_number) return std::nullopt;
  MakeUnique(layout);
  return layout;
}

void ApplyUnits(std::span<const std::string_view> words, Layout& layout) {
  if (words.size() != layout.columns.size()) return;
  for (size_t i = 0; i < words.size(); ++i) {
    Column& column = layout.columns[i];
    if (column.role != Role::kMeasure) continue;
    SetUnit(UnitWordOf(layout.tool, words[i]), column);
    column.has_known_unit = column.has_known_unit || FindUnit(words[i]) != nullptr;
  }
}

std::string CounterName(std::string_view stem, std::string_view unit) {
  const std::string suffix = fmt::format("_{}", unit);
  return fmt::format("gpu.{}{}", stem, stem.ends_with(suffix) ? "" : suffix);
}

}  // namespace gpuwhy::telemetry
