// SPDX-License-Identifier: Apache-2.0
// Binds the fields of a row to a prepared insert.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "schema/statement.h"

namespace gpuwhy {

// NULL for what is unset or empty.
inline SqlValue Value(const std::optional<int64_t>& value) {
  return value ? SqlValue(*value) : SqlValue(std::monostate());
}
inline SqlValue Value(std::string_view text) {
  return text.empty() ? SqlValue(std::monostate()) : SqlValue(text);
}

// Binds fields in column order. Text is not copied: it must live until the statement has run.
// `bound` has a bit for each parameter that is not NULL, kept between rows, because most columns of
// a wide table are NULL in most rows and binding NULL again costs as much as a value.
class Binder {
 public:
  Binder(sqlite3_stmt* statement, uint64_t& bound) : statement_(statement), bound_(bound) {}
  Binder& operator<<(int64_t value) {
    sqlite3_bind_int64(statement_, Next(true), value);
    return *this;
  }
  Binder& operator<<(const std::optional<int64_t>& value) {
    return value ? *this << *value : Null();
  }
  Binder& operator<<(std::string_view text) {
    if (text.empty()) return Null();
    sqlite3_bind_text64(statement_, Next(true), text.data(), text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
    return *this;
  }
  Binder& Real(double value) {
    sqlite3_bind_double(statement_, Next(true), value);
    return *this;
  }
  Binder& Blob(std::string_view data) {
    if (data.empty()) return Null();
    sqlite3_bind_blob64(statement_, Next(true), data.data(), data.size(), SQLITE_STATIC);
    return *this;
  }

 private:
  Binder& Null() {
    const bool was_bound = ((bound_ >> static_cast<unsigned>(index_)) & 1U) != 0;
    const int index = Next(false);
    if (was_bound) sqlite3_bind_null(statement_, index);
    return *this;
  }
  int Next(bool is_bound) {
    const uint64_t bit = uint64_t{1} << static_cast<unsigned>(index_);
    bound_ = is_bound ? bound_ | bit : bound_ & ~bit;
    return ++index_;
  }

  sqlite3_stmt* statement_;
  uint64_t& bound_;
  int index_ = 0;
};

}  // namespace gpuwhy
