// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/stack_book.h"

#include <algorithm>

#include "collectors/ebpf/losses.h"

namespace gpuwhy {

void StackBook::Remember(uint32_t tgid) {
  remembered_.insert(tgid);
  // A process that has ended already has no maps: its addresses stay numbers, which the frames say.
  static_cast<void>(symbolizer_.RememberProcess(static_cast<pid_t>(tgid)).ok());
}

void StackBook::Forget(const std::unordered_set<uint32_t>& tgids) {
  for (const uint32_t tgid : tgids) {
    if (remembered_.erase(tgid) > 0) symbolizer_.ForgetProcess(static_cast<pid_t>(tgid));
  }
  std::erase_if(callsites_, [&](const auto& entry) { return tgids.contains(entry.second.tgid); });
}

OptionalId StackBook::Of(uint64_t user_key, uint64_t kernel_key, uint32_t tgid) {
  if (user_key == 0 && kernel_key == 0) return {};
  const uint64_t key = user_key ^ (kernel_key * 0x9E3779B97F4A7C15ULL);
  if (const auto known = callsites_.find(key); known != callsites_.end()) {
    return known->second.callsite;
  }
  std::vector<int64_t> frames;  // innermost first
  if (kernel_key != 0) AddFrames(kernel_key, 0, frames);
  if (user_key != 0) AddFrames(user_key, tgid, frames);
  if (frames.empty()) return {};
  std::ranges::reverse(frames);
  const OptionalId callsite = recorder_.InternCallsite(frames);
  callsites_[key] = {callsite, tgid};
  return callsite;
}

void StackBook::AddFrames(uint64_t key, uint32_t tgid, std::vector<int64_t>& frames) {
  StackValue value;
  if (!read_(key, value)) {
    recorder_.Count(kStackGone);
    return;
  }
  if (value.is_truncated != 0) recorder_.Count(kStackTruncated);
  if (tgid != 0 && !remembered_.contains(tgid)) Remember(tgid);
  const uint32_t depth = std::min<uint32_t>(value.depth, GPUWHY_STACK_DEPTH);
  for (uint32_t i = 0; i < depth; ++i) {
    // Above the innermost frame the address is where the call returns to: the call is before it.
    const uint64_t address = value.addresses[i] - (i == 0 ? 0 : 1);
    frames.push_back(FrameOf(address, tgid));
  }
}

int64_t StackBook::FrameOf(uint64_t address, uint32_t tgid) {
  const Frame frame = tgid == 0 ? symbolizer_.ResolveKernel(address)
                                : symbolizer_.ResolveUser(static_cast<pid_t>(tgid), address);
  FrameRow row{.kind = tgid == 0 ? "kernel" : "native",
               .function_name = frame.function,
               .module = frame.module,
               .file = frame.source_file};
  if (frame.source_line > 0) row.line = frame.source_line;
  return recorder_.InternFrame(row);
}

}  // namespace gpuwhy
