// SPDX-License-Identifier: Apache-2.0
// Reads the rows of one table that overlap a window: a sequential scan for most of a trace, the
// index on start_ns for a small part of it. Random look-ups by index cost ten times a scan, so
// SQLite is not left to choose.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/support/window.h"

namespace gpuwhy {

struct ScanRequest {
  std::string_view table;    // with columns start_ns and duration_ns
  std::string_view columns;  // SELECT list
  Window window;
  std::string condition;  // further SQL condition, integers inline; may be empty
};

// Rows come in no particular order.
Status Scan(const TraceDb& db, const ScanRequest& request,
            const std::function<void(const Row&)>& on_row);

// "1,2,3" for an IN list.
std::string IdList(const std::vector<int64_t>& ids);

}  // namespace gpuwhy
