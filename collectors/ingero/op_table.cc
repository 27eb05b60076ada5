// SPDX-License-Identifier: Apache-2.0
#include "collectors/ingero/op_table.h"

#include <fmt/format.h>

namespace gpuwhy::ingero {

std::string OpTable::NameInFile(int64_t source, int64_t op) const {
  std::string name;
  if (file_.Has("ops", "name")) {
    // A damaged lookup table is no reason to fail: the number says enough.
    (void)file_.db().Query("SELECT name FROM ops WHERE source_id = ?1 AND op_id = ?2", {source, op},
                           [&](const Row& row) { name = row.Text(0); });
  }
  return name.empty() ? fmt::format("{} op {}", SourceName(source), op) : name;
}

const Op& OpTable::Resolve(int64_t source, int64_t op) {
  if (const Op* known = FindOp(source, op); known != nullptr) return *known;
  const auto [it, is_new] = unknown_.try_emplace({source, op});
  Unknown& entry = it->second;
  if (!is_new) return entry.op;
  entry.name = NameInFile(source, op);
  const bool is_api = IsApiSource(source);
  entry.op = {.source = source,
              .op = op,
              .becomes = is_api ? Becomes::kApiCall : Becomes::kHostEvent,
              .name = is_api ? std::string_view(entry.name) : "other",
              .detail = is_api ? std::string_view() : std::string_view(entry.name)};
  return entry.op;
}

}  // namespace gpuwhy::ingero
