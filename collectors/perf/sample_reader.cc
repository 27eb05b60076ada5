// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/sample_reader.h"

#include <algorithm>

#include "collectors/perf/losses.h"
#include "collectors/perf/text_fields.h"
#include "schema/base/text.h"

namespace gpuwhy::perf {
namespace {

constexpr size_t kMaxFrames = 4096;  // perf's limit is 127 unless raised
constexpr size_t kMaxEvents = 1000;  // names that are counted apart
constexpr std::string_view kOtherEvents = "(other)";

}  // namespace

void SampleReader::Take(std::string_view line) {
  if (Trimmed(line).empty()) {
    EndSample();
  } else if (ParseSampleHeader(line)) {
    ++understood_count_;
    EndSample();
    BeginSample(line);
  } else if (!TakeFrame(line)) {
    CountOther(line);
  }
}

void SampleReader::BeginSample(std::string_view line) {
  line_ = line;
  header_ = ParseSampleHeader(line_).value_or(SampleHeader());
  if (IsBranch(header_)) {
    recorder_.Count(kBranchNotStored, 1, header_.time_ns, line);
    return;
  }
  is_open_ = true;
  stack_.clear();
  inlined_.clear();
  has_text_ = !header_.rest.empty() && !TakeFrame(header_.rest);
}

bool SampleReader::TakeFrame(std::string_view line) {
  const auto frame = ParseFrameLine(line);
  if (!frame) return false;
  if (!is_open_) {
    recorder_.Count(kFrameWithoutSample, 1, {}, line);
  } else if (stack_.size() >= kMaxFrames) {
    recorder_.Count(kStackCut, 1, header_.time_ns, line_);
  } else {
    Push(*frame);
  }
  return true;
}

void SampleReader::Push(const FrameLine& frame) {
  if (frame.is_inlined) {
    stack_.push_back(0);
    inlined_.emplace_back(frame.symbol);
    return;
  }
  PlaceInlined(frame);
  stack_.push_back(frames_.FrameOf(frame));
}

// The inlined frames that are on top belong to the module of the function they were inlined into.
void SampleReader::PlaceInlined(const FrameLine& into) {
  auto place = std::ranges::find(stack_, 0);
  for (const std::string& symbol : inlined_) {
    *place++ = frames_.FrameOf(
        {.address = into.address, .symbol = symbol, .module = into.module, .is_inlined = true});
  }
  inlined_.clear();
}

void SampleReader::EndSample() {
  if (!is_open_) return;
  is_open_ = false;
  PlaceInlined({.address = "0", .symbol = {}, .module = {}});
  if (stack_.empty()) {
    CountWithoutStack();
  } else {
    WriteSample();
  }
}

void SampleReader::WriteSample() {
  std::ranges::reverse(stack_);
  recorder_.AddSample(header_.time_ns.value_or(0), threads_.ThreadOf(header_),
                      recorder_.InternCallsite(stack_));
  CountEvent();
  has_times_ = has_times_ || header_.time_ns.has_value();
  if (!header_.time_ns) recorder_.Count(kNoTime);
  if (header_.has_period) recorder_.Count(kPeriodNotStored);
}

void SampleReader::CountWithoutStack() {
  const bool is_tracepoint = has_text_ || IsTracepoint(header_.event);
  recorder_.Count(is_tracepoint ? kTracepointWithoutStack : kSampleWithoutStack, 1, header_.time_ns,
                  line_);
}

void SampleReader::CountEvent() {
  std::string event = CleanText(header_.event);
  const bool is_counted = event_counts_.contains(event) || event_counts_.size() < kMaxEvents;
  ++event_counts_[is_counted ? std::move(event) : std::string(kOtherEvents)];
}

void SampleReader::CountOther(std::string_view line) {
  if (Trimmed(line).starts_with("instruction trace error")) {
    ++understood_count_;
    EndSample();
    recorder_.Count(kTraceError, 1, {}, line);
  } else if (is_open_ && IsSourceLine(line)) {
    recorder_.Count(kSourceLineNotStored);
  } else {
    recorder_.Count(kLineNotUnderstood, 1, {}, line);
  }
}

void SampleReader::Finish() {
  // A sample with its frame on its own line needs no blank line.
  if (is_open_ && header_.rest.empty()) recorder_.Count(kLastSampleOpen);
  EndSample();
  if (has_times_) recorder_.Count(kOwnClock);
}

}  // namespace gpuwhy::perf
