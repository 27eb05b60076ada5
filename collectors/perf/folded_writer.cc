// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/folded_writer.h"

#include "collectors/demangle.h"
#include "collectors/perf/frame_line.h"
#include "collectors/perf/frame_names.h"
#include "collectors/perf/losses.h"
#include "collectors/perf/text_fields.h"
#include "schema/base/text.h"

namespace gpuwhy::perf {
namespace {

constexpr size_t kMaxFoldedFrames = 4096;
constexpr size_t kMaxFoldedName = 8192;

// bpftrace prints offsets in decimal: "vfs_read+142".
std::string_view WithoutOffsets(std::string_view name) {
  const size_t plus = name.rfind('+');
  const bool is_decimal =
      plus != std::string_view::npos && plus > 0 && ParseDecimal(name.substr(plus + 1));
  return is_decimal ? name.substr(0, plus) : WithoutHexOffset(name);
}

// Cuts the mark of stackcollapse --all off: kernel, jit, inlined.
std::string_view TakeMark(std::string_view& name) {
  for (const std::string_view mark : {"_[k]", "_[j]", "_[i]"}) {
    if (!name.ends_with(mark) || name.size() == mark.size()) continue;
    name.remove_suffix(mark.size());
    return mark;
  }
  return {};
}

}  // namespace

void FoldedWriter::Take(std::string_view line) {
  FoldedLine folded;
  switch (ParseFoldedLine(line, folded)) {
    case FoldedVerdict::kNothing:
      return;
    case FoldedVerdict::kNotUnderstood:
      return recorder_.Count(kFoldedLineWithoutCount, 1, {}, line);
    case FoldedVerdict::kTooLarge:
      return recorder_.Count(kFoldedCountTooLarge, 1, {}, line);
    case FoldedVerdict::kStack:
      break;
  }
  if (folded.weight_count > kMaxFoldedWeight - total_weight_) {
    return recorder_.Count(kFoldedCountTooLarge, 1, {}, line);
  }
  if (folded.is_rounded) recorder_.Count(kFoldedCountRounded, 1, {}, line);
  if (folded.has_two_counts) recorder_.Count(kFoldedTwoCounts, 1, {}, line);
  Write(folded);
}

void FoldedWriter::Write(const FoldedLine& line) {
  ++stack_count_;
  total_weight_ += line.weight_count;
  stack_.clear();
  std::string_view rest = line.stack;
  const int64_t thread_id = ThreadOf(TakeOutermost(rest));
  rest = line.stack;
  while (!rest.empty() && stack_.size() < kMaxFoldedFrames)
    stack_.push_back(FrameOf(TakeOutermost(rest)));
  if (!rest.empty()) recorder_.Count(kStackCut, 1, {}, line.stack);
  if (line.weight_count == 0) return;
  recorder_.AddSample(0, thread_id, recorder_.InternCallsite(stack_), line.weight_count);
}

int64_t FoldedWriter::FrameOf(std::string_view text) {
  int64_t& id = frames_[std::string(text)];
  if (id != 0) return id;
  std::string_view name = text.empty() ? "[unknown]" : text;
  const std::string_view mark = TakeMark(name);
  FrameRow frame = PythonFrame(name);
  std::string function = CleanText(frame.function_name, kMaxFoldedName);
  const std::string file = CleanText(frame.file, kMaxFoldedName);
  if (frame.kind.empty()) {
    frame.kind = mark == "_[k]" ? "kernel" : "native";
    function = CleanText(Demangle(WithoutOffsets(name)), kMaxFoldedName);
  }
  frame.function_name = function;
  frame.file = file;
  id = recorder_.InternFrame(frame);
  return id;
}

// Thread ids are not in the file; they are numbered as their frames turn up.
int64_t FoldedWriter::ThreadOf(std::string_view outermost) {
  const auto tid = static_cast<int64_t>(threads_.size());
  int64_t& id = threads_[std::string(outermost)];
  if (id != 0) return id;
  id = recorder_.ThreadOf(recorder_.ProcessOf(0), tid);
  recorder_.SetThread(id, {.name = CleanText(outermost), .start_ns = {}, .end_ns = {}});
  return id;
}

}  // namespace gpuwhy::perf
