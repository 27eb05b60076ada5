// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/names.h"

namespace gpuwhy {

Result<std::string> Names::Text(int64_t name_id) const {
  if (const auto it = texts_.find(name_id); it != texts_.end()) return it->second;
  std::string text;
  GPUWHY_RETURN_IF_ERROR(db_.Query("SELECT text FROM name WHERE id = ?", {name_id},
                                   [&](const Row& row) { text = row.Text(0); }));
  return texts_.emplace(name_id, std::move(text)).first->second;
}

}  // namespace gpuwhy
