// SPDX-License-Identifier: Apache-2.0
// Folded stacks as FlameGraph, inferno, bpftrace's tools and py-spy write them, plain or gzip:
//   python;train (train.py:17);cudaMemcpy;ioctl_[k] 42
// There is no mark that says so, hence the strict look at the first lines.
#include <fmt/format.h>

#include <algorithm>

#include "collectors/importers/importer.h"
#include "collectors/perf/folded_line.h"
#include "collectors/perf/folded_writer.h"
#include "collectors/perf/import_lines.h"
#include "collectors/perf/losses.h"
#include "collectors/recorder.h"
#include "schema/base/text.h"

namespace gpuwhy::collectors::importers::folded {
namespace {

using perf::FoldedLine;
using perf::FoldedVerdict;

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < ' ' && c != '\t';
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// A line of a log or a table with semicolons seldom has a whole name before the first of them.
bool IsName(std::string_view frame) {
  const auto count = [&](char c) { return std::ranges::count(frame, c); };
  return std::ranges::any_of(frame, IsLetter) && count('(') == count(')') && count('"') % 2 == 0 &&
         !frame.starts_with('{') && !frame.starts_with('"') &&
         frame.find("://") == std::string_view::npos;
}

class Sniffer {
 public:
  // False when it has seen enough.
  bool Take(std::string_view line) {
    if (std::ranges::any_of(line, IsControl)) return Refuse();
    FoldedLine folded;
    const FoldedVerdict verdict = ParseFoldedLine(line, folded);
    if (verdict == FoldedVerdict::kNothing) return true;
    std::string_view rest = folded.stack;
    if (verdict != FoldedVerdict::kNotUnderstood && IsName(perf::TakeOutermost(rest))) {
      ++good_count_;
      has_two_frames_ = has_two_frames_ || !rest.empty();
      return true;
    }
    ++bad_count_;
    return good_count_ > 0 || Refuse();  // the first line must be one
  }
  bool IsFolded() const {
    return !is_refused_ && has_two_frames_ && bad_count_ * kGoodForOneBad <= good_count_;
  }

 private:
  static constexpr int kGoodForOneBad = 4;

  bool Refuse() {
    is_refused_ = true;
    return false;
  }

  int good_count_ = 0;
  int bad_count_ = 0;
  bool has_two_frames_ = false;
  bool is_refused_ = false;
};

bool Sniff(const FileHead& head) {
  Sniffer sniffer;
  perf::ForEachLineOfHead(head, [&](std::string_view line) { return sniffer.Take(line); });
  return sniffer.IsFolded();
}

Result<int64_t> Import(const ImportRequest& request) {
  const CaptureRow capture{
      .kind = "perf", .path = request.head.path, .tool_version = "folded stacks"};
  GPUWHY_ASSIGN_OR_RETURN(const auto recorder, Recorder::Start(request.db, capture));
  perf::FoldedWriter writer(*recorder);
  GPUWHY_RETURN_IF_ERROR(
      perf::ImportLines(request, *recorder, [&](std::string_view line) { writer.Take(line); }));
  if (writer.StackCount() == 0) {
    return CorruptInput(
        fmt::format("{} holds no folded stack that can be read", CleanText(request.head.path)));
  }
  recorder->Count(perf::kFoldedNoTimes);
  GPUWHY_RETURN_IF_ERROR(recorder->Finish());
  return recorder->capture_id();
}

}  // namespace

Importer Define() {
  return {.name = "folded",
          .description = "folded stacks (FlameGraph, inferno, py-spy), .txt or .txt.gz",
          .priority = 13,
          .sniff = &Sniff,
          .import = &Import};
}

}  // namespace gpuwhy::collectors::importers::folded
