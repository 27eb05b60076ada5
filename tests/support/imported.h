// SPDX-License-Identifier: Apache-2.0
// A file imported into a database in memory, and short ways to ask it.
#pragma once

#include <string>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

Result<TraceDb> Imported(const std::string& path);

// Rows of a query as text: columns joined by '|' (NULL is empty). One "error: ..." row on failure.
std::vector<std::string> Rows(const TraceDb& db, const std::string& sql);
// The first row of Rows, or "".
std::string OneRow(const TraceDb& db, const std::string& sql);
// The number of records counted under one loss name; 0 when there is none.
int64_t LossCount(const TraceDb& db, const std::string& name);

}  // namespace gpuwhy
