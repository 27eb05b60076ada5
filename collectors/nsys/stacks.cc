// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/stacks.h"

#include <algorithm>

#include "collectors/nsys/losses.h"

namespace gpuwhy::nsys {
namespace {

constexpr size_t kMaxChainFrames = 1024;  // nsys keeps up to 300

}  // namespace

Status Stacks::Read(std::string_view table) {
  GPUWHY_RETURN_IF_ERROR(conversion_.EachRow(
      table, {"id", "symbol", "module", "kernelMode", "stackDepth"}, [&](const Row& row) {
        if (row.Int(0) != open_id_) Close();
        open_id_ = row.Int(0);
        if (open_frames_.size() >= kMaxChainFrames) return;
        open_frames_.push_back(FrameOf({.symbol = row.OptionalInt(1),
                                        .module = row.OptionalInt(2),
                                        .is_kernel = row.Int(3) != 0}));
      }));
  Close();
  return {};
}

int64_t Stacks::FrameOf(const Frame& frame) {
  int64_t& row = frames_[frame];
  if (row != 0) return row;
  const std::string function = conversion_.TextOf(frame.symbol);
  const std::string module = frame.module ? conversion_.TextOf(frame.module) : std::string();
  const bool is_kernel = frame.is_kernel || module.starts_with("[kernel");
  return row = conversion_.recorder().InternFrame({.kind = is_kernel ? "kernel" : "native",
                                                   .function_name = function,
                                                   .module = module,
                                                   .file = {},
                                                   .line = {}});
}

void Stacks::Close() {
  if (open_frames_.empty()) return;
  std::reverse(open_frames_.begin(), open_frames_.end());
  callsites_.emplace(open_id_, conversion_.recorder().InternCallsite(open_frames_));
  open_frames_.clear();
}

OptionalId Stacks::Find(int64_t chain_id) const {
  const auto found = callsites_.find(chain_id);
  return found == callsites_.end() ? OptionalId() : found->second;
}

OptionalId Stacks::CallsiteOf(std::optional<int64_t> chain_id) const {
  if (!chain_id || *chain_id == 0) return {};
  const OptionalId callsite = Find(*chain_id);
  if (!callsite) conversion_.recorder().Count(kStackMissing);
  return callsite;
}

}  // namespace gpuwhy::nsys
