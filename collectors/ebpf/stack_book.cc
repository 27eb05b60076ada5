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
    if (remembered_.erase(tgid) == 0) continue;
    symbolizer_.ForgetProcess(static_cast<pid_t>(tgid));
    python_.Forget(tgid);
  }
  std::erase_if(callsites_, [&](const auto& entry) { return tgids.contains(entry.second.tgid); });
}

OptionalId StackBook::Of(const Keys& keys, uint32_t tgid) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15ULL;
  const uint64_t key = keys.user ^ (keys.kernel * kFactor) ^ (keys.python * kFactor * kFactor);
  if (keys.user == 0 && keys.kernel == 0 && keys.python == 0) return {};
  if (const auto known = callsites_.find(key); known != callsites_.end()) {
    return known->second.callsite;
  }
  std::vector<int64_t> frames;  // innermost first
  for (const NativeStackFrame& frame : Frames(keys.kernel, 0))
    frames.push_back(frame.frame_id);
  const PythonFrames python = python_.Frames(keys.python, tgid);
  const auto user = MergeStacks(Frames(keys.user, tgid), python.frames, python.is_truncated);
  frames.insert(frames.end(), user.begin(), user.end());
  if (frames.empty()) return {};
  std::ranges::reverse(frames);
  const OptionalId callsite = recorder_.InternCallsite(frames);
  callsites_[key] = {callsite, tgid};
  return callsite;
}

std::vector<NativeStackFrame> StackBook::Frames(uint64_t key, uint32_t tgid) {
  StackValue value;
  if (key == 0) return {};
  if (!read_(key, value)) {
    recorder_.Count(kStackGone);
    return {};
  }
  if (value.is_truncated != 0) recorder_.Count(kStackTruncated);
  if (tgid != 0 && !remembered_.contains(tgid)) Remember(tgid);
  std::vector<NativeStackFrame> frames;
  const uint32_t depth = std::min<uint32_t>(value.depth, GPUWHY_STACK_DEPTH);
  for (uint32_t i = 0; i < depth; ++i) {
    // Above the innermost frame the address is where the call returns to: the call is before it.
    frames.push_back(FrameOf(value.addresses[i] - (i == 0 ? 0 : 1), tgid));
  }
  return frames;
}

NativeStackFrame StackBook::FrameOf(uint64_t address, uint32_t tgid) {
  const Frame frame = tgid == 0 ? symbolizer_.ResolveKernel(address)
                                : symbolizer_.ResolveUser(static_cast<pid_t>(tgid), address);
  FrameRow row{.kind = tgid == 0 ? "kernel" : "native",
               .function_name = frame.function,
               .module = frame.module,
               .file = frame.source_file};
  if (frame.source_line > 0) row.line = frame.source_line;
  NativeStackFrame made{.frame_id = recorder_.InternFrame(row)};
  if (tgid != 0 && frame.is_known) made.role = RoleOf(frame.function);
  const bool is_code = tgid == 0 || symbolizer_.HasCode(static_cast<pid_t>(tgid), address);
  if (!is_code) made.role = FrameRole::kNoCode;
  return made;
}

}  // namespace gpuwhy
