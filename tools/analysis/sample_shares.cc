// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/sample_shares.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

namespace gpuwhy {
namespace {

constexpr size_t kMaxDepthOfSample = 4096;  // a damaged file may have a cycle

// The calling tree in memory: small beside the samples that refer to it.
class CallingTree {
 public:
  Status Read(const TraceDb& db) {
    GPUWHY_RETURN_IF_ERROR(db.Query(
        "SELECT id, function_name, coalesce(module, '') FROM frame", {}, [&](const Row& row) {
          frames_.emplace(row.Int(0), Text{std::string(row.Text(1)), std::string(row.Text(2))});
        }));
    return db.Query("SELECT id, parent_id, frame_id FROM callsite", {}, [&](const Row& row) {
      nodes_.emplace(row.Int(0), Node{row.Int(1), row.Int(2)});
    });
  }

  // Innermost first; the views live as long as the tree.
  std::vector<StackFrame> StackOf(int64_t callsite_id) const {
    std::vector<StackFrame> stack;
    auto node = nodes_.find(callsite_id);
    while (node != nodes_.end() && stack.size() < kMaxDepthOfSample) {
      const auto frame = frames_.find(node->second.frame_id);
      if (frame != frames_.end())
        stack.push_back({.function = frame->second.function, .module = frame->second.module});
      node = nodes_.find(node->second.parent_id);
    }
    return stack;
  }

 private:
  struct Text {
    std::string function;
    std::string module;
  };
  struct Node {
    int64_t parent_id;
    int64_t frame_id;
  };

  std::unordered_map<int64_t, Text> frames_;
  std::unordered_map<int64_t, Node> nodes_;
};

}  // namespace

Result<std::vector<SampleShare>> SharesOfSamples(
    const TraceDb& db, const Window& window,
    const std::function<bool(int64_t process_id)>& has_process) {
  CallingTree tree;
  GPUWHY_RETURN_IF_ERROR(tree.Read(db));
  std::map<SampleClass, int64_t> counts;
  GPUWHY_RETURN_IF_ERROR(db.Query(
      "SELECT s.callsite_id, coalesce(t.name, ''), t.process_id, sum(s.weight_count) FROM "
      "sample s JOIN thread t ON t.id = s.thread_id WHERE s.time_ns >= ? AND s.time_ns < ? "
      "GROUP BY s.callsite_id, t.id",
      {window.start_ns, window.end_ns}, [&](const Row& row) {
        if (!has_process(row.Int(2))) return;
        counts[ClassifySample(row.Text(1), tree.StackOf(row.Int(0)))] += row.Int(3);
      }));
  std::vector<SampleShare> shares;
  shares.reserve(counts.size());
  for (const auto& [sample_class, count] : counts)
    shares.push_back({sample_class, count});
  std::sort(shares.begin(), shares.end(), [](const SampleShare& a, const SampleShare& b) {
    return a.sample_count > b.sample_count;
  });
  return shares;
}

}  // namespace gpuwhy
