// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/open_spans.h"

#include <algorithm>

namespace gpuwhy::kineto {

ClosedSpan OpenSpans::End(int64_t thread_id, int64_t name_id) {
  const auto found = stacks_.find(thread_id);
  if (found == stacks_.end() || found->second.empty()) return {};
  std::vector<OpenSpan>& stack = found->second;
  const auto has_name = [&](const OpenSpan& span) { return span.name_id == name_id; };
  auto span = std::prev(stack.end());
  const bool is_crossed = name_id != 0 && !has_name(*span);
  if (is_crossed) {
    const auto by_name = std::find_if(stack.rbegin(), stack.rend(), has_name);
    if (by_name != stack.rend()) span = std::prev(by_name.base());
  }
  ClosedSpan closed{is_crossed ? SpanMatch::kCrossed : SpanMatch::kExact, std::move(*span)};
  stack.erase(span);
  return closed;
}

ClosedSpan OpenSpans::EndAsync(const std::string& key) {
  const auto found = async_.find(key);
  if (found == async_.end()) return {};
  ClosedSpan closed{SpanMatch::kExact, std::move(found->second.back())};
  found->second.pop_back();
  if (found->second.empty()) async_.erase(found);
  return closed;
}

int64_t OpenSpans::OpenCount() const {
  size_t count = 0;
  for (const auto& [thread, stack] : stacks_)
    count += stack.size();
  for (const auto& [key, stack] : async_)
    count += stack.size();
  return static_cast<int64_t>(count);
}

}  // namespace gpuwhy::kineto
