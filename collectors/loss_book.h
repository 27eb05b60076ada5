// SPDX-License-Identifier: Apache-2.0
// Counts what was lost, repaired or skipped, by kind, and writes it to table loss. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/result.h"
#include "schema/rows.h"
#include "schema/trace_db.h"

namespace gpuwhy {

class LossBook {
 public:
  // `example` of the first one is kept, cleaned, for people.
  void Count(const LossKind& kind, int64_t count = 1, std::optional<int64_t> time_ns = {},
             std::string_view example = {});
  // One row a kind, in place of those of an earlier call.
  Status Write(const TraceDb& db, int64_t capture_id) const;
  // Sets the total of a kind that somebody else counts.
  void Set(const LossKind& kind, int64_t count);
  // Says more about a kind, in place of what was said before.
  void Describe(const LossKind& kind, std::string_view detail);
  std::vector<std::pair<LossKind, int64_t>> All() const;

 private:
  struct Entry {
    LossKind kind;
    int64_t count = 0;
    std::optional<int64_t> first_ns;
    std::optional<int64_t> last_ns;
    std::string example;
    std::string detail;
  };

  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace gpuwhy
