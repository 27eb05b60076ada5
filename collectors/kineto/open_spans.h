// SPDX-License-Identifier: Apache-2.0
// Joins the two events of a span: B and E of one thread, which nest, and b and e of one async id.
// Memory grows with the spans that are open at once. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwhy::kineto {

struct OpenSpan {
  int64_t start_ns = 0;
  int64_t name_id = 0;
  std::string category;
};

enum class SpanMatch { kNone, kExact, kCrossed };

struct ClosedSpan {
  SpanMatch match = SpanMatch::kNone;
  OpenSpan span;
};

class OpenSpans {
 public:
  void Begin(int64_t thread_id, OpenSpan span) { stacks_[thread_id].push_back(std::move(span)); }
  // `name_id` 0: the end does not say its name. An end whose name is not that of the innermost span
  // closes the nearest span of that name, else the innermost.
  ClosedSpan End(int64_t thread_id, int64_t name_id);

  void BeginAsync(const std::string& key, OpenSpan span) { async_[key].push_back(std::move(span)); }
  ClosedSpan EndAsync(const std::string& key);

  // Spans that never ended.
  int64_t OpenCount() const;

 private:
  std::map<int64_t, std::vector<OpenSpan>> stacks_;
  std::map<std::string, std::vector<OpenSpan>, std::less<>> async_;
};

}  // namespace gpuwhy::kineto
