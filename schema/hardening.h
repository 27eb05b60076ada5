// SPDX-License-Identifier: Apache-2.0
// What keeps SQLite safe on hostile files and queries. One place, so that it can be reviewed whole.
#pragma once

#include <sqlite3.h>

namespace gpuwhy {

inline constexpr int kMaxSqlBytes = 100'000;

// Defensive mode, no extensions, no trusted schema, and limits; for every connection.
void Harden(sqlite3* handle);
// The authorizer of read-only handles.
void AllowOnlyReading(sqlite3* handle);

}  // namespace gpuwhy
