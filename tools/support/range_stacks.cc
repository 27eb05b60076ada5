// SPDX-License-Identifier: Apache-2.0
#include "tools/support/range_stacks.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace gpuwhy {
namespace {

struct OpenRange {
  int64_t end_ns = 0;
  int64_t name_id = 0;
};

using GroupKey = std::pair<int64_t, std::vector<int64_t>>;

// The ranges that are open on each thread while time moves forward.
class OpenRanges {
 public:
  explicit OpenRanges(Statement statement) : statement_(std::move(statement)) {}

  // Takes in every range that starts at `time_ns` or before.
  Status AdvanceTo(int64_t time_ns) {
    while (!is_done_) {
      if (!has_row_) {
        GPUWHY_ASSIGN_OR_RETURN(has_row_, statement_.Step());
        is_done_ = !has_row_;
        continue;
      }
      const Row row = statement_.row();
      const int64_t start_ns = row.Int(1);
      if (start_ns > time_ns) return {};
      auto& stack = stacks_[row.Int(0)];
      Close(stack, start_ns);
      stack.push_back({.end_ns = start_ns + row.Int(2), .name_id = row.Int(3)});
      has_row_ = false;
    }
    return {};
  }

  // Innermost first.
  std::vector<int64_t> At(int64_t thread_id, int64_t time_ns, size_t depth) {
    auto& stack = stacks_[thread_id];
    Close(stack, time_ns);
    std::vector<int64_t> names;
    for (auto it = stack.rbegin(); it != stack.rend() && names.size() < depth; ++it) {
      if (it->end_ns > time_ns) names.push_back(it->name_id);
    }
    return names;
  }

 private:
  static void Close(std::vector<OpenRange>& stack, int64_t time_ns) {
    while (!stack.empty() && stack.back().end_ns <= time_ns)
      stack.pop_back();
  }

  Statement statement_;
  bool has_row_ = false;
  bool is_done_ = false;
  std::unordered_map<int64_t, std::vector<OpenRange>> stacks_;
};

std::vector<StackGroup> Sorted(std::map<GroupKey, StackGroup>&& groups) {
  std::vector<StackGroup> out;
  out.reserve(groups.size());
  for (auto& [key, group] : groups) {
    group.name_id = key.first;
    group.range_name_ids = key.second;
    out.push_back(std::move(group));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.sum_ns > b.sum_ns; });
  return out;
}

}  // namespace

Result<std::vector<StackGroup>> GroupByRanges(const TraceDb& db, std::vector<CallPoint> points,
                                              size_t depth) {
  std::sort(points.begin(), points.end(),
            [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  // Of ranges that start together the longer one is outside.
  GPUWHY_ASSIGN_OR_RETURN(Statement statement,
                          db.Prepare("SELECT thread_id, start_ns, duration_ns, name_id FROM range "
                                     "WHERE duration_ns > 0 ORDER BY start_ns, duration_ns DESC"));
  OpenRanges open(std::move(statement));
  std::map<GroupKey, StackGroup> groups;
  for (const CallPoint& point : points) {
    GPUWHY_RETURN_IF_ERROR(open.AdvanceTo(point.start_ns));
    StackGroup& group = groups[{point.name_id, open.At(point.thread_id, point.start_ns, depth)}];
    ++group.call_count;
    group.sum_ns += point.weight_ns;
    group.max_ns = std::max(group.max_ns, point.weight_ns);
  }
  return Sorted(std::move(groups));
}

}  // namespace gpuwhy
