// SPDX-License-Identifier: Apache-2.0
// SQL functions of every handle, also for run_sql:
//   p50(x) p95(x) p99(x) percentile(x, p)   exact nearest rank, p in (0, 1]; NULL values are
//   ignored histogram_percentile(histogram, p)       over merged latency.histogram blobs, within 1
//   %
#pragma once

#include <sqlite3.h>

#include "schema/base/result.h"

namespace gpuwhy {

Status RegisterSqlFunctions(sqlite3* handle);

}  // namespace gpuwhy
