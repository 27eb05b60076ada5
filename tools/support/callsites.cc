// SPDX-License-Identifier: Apache-2.0
#include "tools/support/callsites.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/kernel_class.h"

namespace gpuwhy {
namespace {

constexpr size_t kFunctionLimit = 70;
constexpr size_t kModuleLimit = 40;
constexpr size_t kMaxStack = 1000;  // a damaged tree may have a cycle

std::string BaseName(std::string_view path) {
  return CleanText(path.substr(path.rfind('/') + 1), kModuleLimit);
}

std::string FormatFrame(const Row& row) {
  std::string text = ShortFunctionName(row.Text(0));
  if (!row.IsNull(1)) text = BaseName(row.Text(1)) + "!" + text;
  if (row.IsNull(2)) return text;
  return row.IsNull(3) ? fmt::format("{} ({})", text, BaseName(row.Text(2)))
                       : fmt::format("{} ({}:{})", text, BaseName(row.Text(2)), row.Int(3));
}

}  // namespace

std::string ShortFunctionName(std::string_view name) {
  std::string text = ShortKernelName(name);
  if (text.empty()) text = name;
  return CleanText(text, kFunctionLimit);
}

std::string JoinStack(const std::vector<std::string>& frames, size_t depth) {
  std::string text;
  const size_t shown = std::min(depth, frames.size());
  for (size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : " <- ") + frames[i];
  if (shown < frames.size()) text += fmt::format(" <- ({} more)", frames.size() - shown);
  return text;
}

Result<Callsites::Node> Callsites::NodeOf(int64_t callsite_id) {
  if (const auto it = nodes_.find(callsite_id); it != nodes_.end()) return it->second;
  Node node;
  GPUWHY_RETURN_IF_ERROR(db_.Query("SELECT parent_id, frame_id FROM callsite WHERE id = ?",
                                   {callsite_id}, [&](const Row& row) {
                                     node = {row.Int(0), row.Int(1)};
                                   }));
  return nodes_.emplace(callsite_id, node).first->second;
}

Result<std::string> Callsites::FrameOf(int64_t frame_id) {
  if (const auto it = frames_.find(frame_id); it != frames_.end()) return it->second;
  std::string text = "?";
  GPUWHY_RETURN_IF_ERROR(
      db_.Query("SELECT function_name, module, file, line FROM frame WHERE id = ?", {frame_id},
                [&](const Row& row) { text = FormatFrame(row); }));
  return frames_.emplace(frame_id, std::move(text)).first->second;
}

Result<std::string> Callsites::Describe(int64_t callsite_id, size_t depth) {
  std::vector<std::string> frames;
  for (int64_t id = callsite_id; id != 0 && frames.size() < kMaxStack;) {
    GPUWHY_ASSIGN_OR_RETURN(const Node node, NodeOf(id));
    GPUWHY_ASSIGN_OR_RETURN(std::string frame, FrameOf(node.frame_id));
    frames.push_back(std::move(frame));
    id = node.parent_id;
  }
  return JoinStack(frames, depth);
}

}  // namespace gpuwhy
