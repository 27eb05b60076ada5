// SPDX-License-Identifier: Apache-2.0
// A SQLite file of another program, made for a test. Ends the process, saying why, on failure.
#pragma once

#include <sqlite3.h>

#include <cstdio>
#include <string>

#include "schema/base/result.h"

namespace gpuwhy {

inline void MakeSqliteFile(const std::string& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  GPUWHY_CHECK(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
  char* message = nullptr;
  if (sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK)
    std::fprintf(stderr, "%s: %s\n", message, sql.c_str());
  GPUWHY_CHECK(message == nullptr);
  sqlite3_close(handle);
}

}  // namespace gpuwhy
