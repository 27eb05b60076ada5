// SPDX-License-Identifier: Apache-2.0
// Error texts of run_sql that teach: they name the columns of the tables a query speaks of.
#pragma once

#include <string>
#include <string_view>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

inline constexpr std::string_view kTablesHint =
    "views to start from: api_calls, gpu_ops, ranges, off_cpus, host_events, latencies; "
    "SELECT sql FROM sqlite_schema prints every table with its column comments";

// The engine's message for `sql`, which did not compile, with what would help.
Error ExplainSqlError(const TraceDb& db, const std::string& sql);

}  // namespace gpuwhy
