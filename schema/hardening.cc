// SPDX-License-Identifier: Apache-2.0
#include "schema/hardening.h"

#include <cstring>

namespace gpuwhy {
namespace {

// Pragmas in the form of tables, which newer versions of SQLite refuse only when they run.
bool IsForbiddenTable(const char* name) {
  constexpr const char* kPrefix = "pragma_";
  return name != nullptr && sqlite3_strnicmp(name, kPrefix, 7) == 0 &&
         sqlite3_stricmp(name, "pragma_table_info") != 0 &&
         sqlite3_stricmp(name, "pragma_table_list") != 0;
}

// A read-only handle may do nothing but read. PRAGMA is refused but for the two that describe
// tables and the one that tells whether others have written.
// NOLINTNEXTLINE(readability-function-size): the signature is SQLite's.
int Authorize(void* /*unused*/, int action, const char* first, const char* second,
              const char* /*db*/, const char* /*trigger*/) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      return IsForbiddenTable(first) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION:
      return second != nullptr && std::strcmp(second, "load_extension") == 0 ? SQLITE_DENY
                                                                             : SQLITE_OK;
    case SQLITE_PRAGMA:
      return std::strcmp(first, "table_info") == 0 || std::strcmp(first, "table_list") == 0 ||
                     (std::strcmp(first, "data_version") == 0 && second == nullptr)
                 ? SQLITE_OK
                 : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

}  // namespace

void Harden(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, kMaxSqlBytes);
  sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 200);
  sqlite3_limit(handle, SQLITE_LIMIT_COMPOUND_SELECT, 50);
  sqlite3_limit(handle, SQLITE_LIMIT_VDBE_OP, 250'000);
  sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 10);
}

void AllowOnlyReading(sqlite3* handle) {
  sqlite3_set_authorizer(handle, &Authorize, nullptr);
}

}  // namespace gpuwhy
