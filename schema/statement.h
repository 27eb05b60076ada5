// SPDX-License-Identifier: Apache-2.0
// Thin wrappers over a prepared SQLite statement. A Statement belongs to the TraceDb that made it,
// must not outlive it, and is used by one thread at a time.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "schema/base/result.h"

namespace gpuwhy {

using SqlValue = std::variant<std::monostate, int64_t, double, std::string_view>;

// The current row of a statement. Text and blobs are valid until the next step.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  int64_t Int(int column) const { return sqlite3_column_int64(statement_, column); }
  double Real(int column) const { return sqlite3_column_double(statement_, column); }
  bool IsNull(int column) const { return Type(column) == SQLITE_NULL; }
  int Type(int column) const { return sqlite3_column_type(statement_, column); }
  int ColumnCount() const { return sqlite3_column_count(statement_); }
  const char* ColumnName(int column) const { return sqlite3_column_name(statement_, column); }
  std::string_view Text(int column) const {
    // sqlite3_column_text before sqlite3_column_bytes: the order the API asks for.
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return {text == nullptr ? "" : text, Bytes(column)};
  }
  std::string_view Blob(int column) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return {data == nullptr ? "" : data, Bytes(column)};
  }
  std::optional<int64_t> OptionalInt(int column) const {
    return IsNull(column) ? std::nullopt : std::optional(Int(column));
  }

 private:
  size_t Bytes(int column) const {
    return static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  }

  sqlite3_stmt* statement_;
};

class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  void Bind(int index, int64_t value) { sqlite3_bind_int64(get(), index, value); }
  void Bind(int index, double value) { sqlite3_bind_double(get(), index, value); }
  // Text is copied, so it need not outlive the call. Empty text is bound as text, not NULL.
  void Bind(int index, std::string_view text) {
    sqlite3_bind_text64(get(), index, text.data() == nullptr ? "" : text.data(), text.size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  void BindBlob(int index, std::string_view data) {
    sqlite3_bind_blob64(get(), index, data.data() == nullptr ? "" : data.data(), data.size(),
                        SQLITE_TRANSIENT);
  }
  void BindNull(int index) { sqlite3_bind_null(get(), index); }
  void Bind(int index, std::optional<int64_t> value) {
    value ? Bind(index, *value) : BindNull(index);
  }
  void Bind(int index, const SqlValue& value) {
    std::visit(
        [&](const auto& v) {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>) {
            BindNull(index);
          } else {
            Bind(index, v);
          }
        },
        value);
  }

  // True while there is a row.
  Result<bool> Step();
  // Executes an insert or update and makes the statement ready for the next one.
  Status Run();
  void Reset() { sqlite3_reset(get()); }
  Row row() const { return Row(get()); }
  sqlite3_stmt* get() const { return statement_.get(); }

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

}  // namespace gpuwhy
