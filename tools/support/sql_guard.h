// SPDX-License-Identifier: Apache-2.0
// Text from outside made into one statement that can only read. The handle's authorizer is the
// wall; this adds what it cannot see (a second statement) and errors that teach.
#pragma once

#include <string>

#include "schema/base/result.h"
#include "schema/statement.h"
#include "schema/trace_db.h"

namespace gpuwhy {

// Refuses empty text, more than one statement and anything but reading. `db` must be a read-only
// handle.
Result<Statement> PrepareOneSelect(const TraceDb& db, const std::string& sql);

// SQLite's message with what the caller needs to mend the query: the columns of the tables it
// names, the tables there are, the functions there are.
Error ExplainSqlError(const TraceDb& db, const std::string& sql, const std::string& message);

}  // namespace gpuwhy
