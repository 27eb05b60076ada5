// SPDX-License-Identifier: Apache-2.0
// Interned names looked up once each, with what their text means. One thread; the handle must
// outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

class Names {
 public:
  explicit Names(const TraceDb& db) : db_(db) {}
  // Raw text; empty for an unknown id.
  Result<std::string> Text(int64_t name_id) const;

 private:
  const TraceDb& db_;
  mutable std::unordered_map<int64_t, std::string> texts_;
};

// A value derived from the text of a name, computed at its first use: Memo<CallKind>.
template <typename T>
class NameMemo {
 public:
  NameMemo(const Names& names, T (*derive)(std::string_view text))
      : names_(names), derive_(derive) {}

  T Get(int64_t name_id) {
    if (const auto it = values_.find(name_id); it != values_.end()) return it->second;
    const Result<std::string> text = names_.Text(name_id);
    if (!text.ok()) status_ = text.error();
    return values_.emplace(name_id, derive_(text.ok() ? text.value() : std::string()))
        .first->second;
  }
  const Status& status() const { return status_; }

 private:
  const Names& names_;
  T (*derive_)(std::string_view text);
  std::unordered_map<int64_t, T> values_;
  Status status_;
};

}  // namespace gpuwhy
