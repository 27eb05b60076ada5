// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/load_facts.h"
#include "tools/support/scope_params.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_gpu_idle_causes {
namespace {

constexpr int64_t kDefaultGaps = 8;
constexpr int64_t kMaxGaps = 200;
constexpr int64_t kCountedGapNs = 10'000;    // shorter gaps are the pace of the device
constexpr int64_t kLongGapNs = 100'000'000;  // worth a sentence each
constexpr size_t kOpNameLimit = 48;

double Pct(int64_t part_ns, int64_t whole_ns) {
  return whole_ns <= 0 ? 0 : 100.0 * static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

std::string PctText(int64_t part_ns, int64_t whole_ns) {
  return FormatNumber(Pct(part_ns, whole_ns), 1) + " %";
}

// A gap with its place: which timeline, which position.
struct GapRef {
  size_t timeline = 0;
  size_t position = 0;
};

class AnswerMaker {
 public:
  AnswerMaker(const TraceFacts& facts, const std::vector<BusyTimeline>& timelines,
              const std::vector<Ledger>& ledgers, const TraceFacts::Totals& totals)
      : facts_(facts), timelines_(timelines), ledgers_(ledgers), totals_(totals) {}

  Result<Answer> Make(int64_t limit, int64_t min_gap_ns) {
    answer_.origin_ns = facts_.window().trace_start_ns;
    answer_.headline = Headline();
    answer_.sections.emplace_back(Summary());
    answer_.sections.emplace_back(Causes());
    answer_.sections.emplace_back(SumCheck());
    if (timelines_.size() > 1) answer_.sections.emplace_back(Devices());
    GPUWHY_ASSIGN_OR_RETURN(Table gaps, Gaps(limit, min_gap_ns));
    answer_.sections.emplace_back(std::move(gaps));
    answer_.notes = StandardNotes(facts_);
    AddNext();
    return std::move(answer_);
  }

 private:
  bool IsDevice() const { return facts_.view() == View::kDevice; }

  IdleClass Largest() const { return MainClass(totals_.class_ns); }

  // Gaps of at least `least_ns` and their total.
  std::pair<int64_t, int64_t> Count(int64_t least_ns) const {
    int64_t count = 0;
    int64_t sum_ns = 0;
    for (const BusyTimeline& timeline : timelines_) {
      for (const Gap& gap : timeline.gaps) {
        if (gap.duration_ns() < least_ns) continue;
        ++count;
        sum_ns += gap.duration_ns();
      }
    }
    return {count, sum_ns};
  }

  std::string Headline() const {
    std::string text = fmt::format(
        "{} for {} of {} ({})",
        IsOfDevice(facts_.view()) ? "The device had no work" : "No CUDA call was in flight",
        FormatDuration(totals_.idle_ns), FormatDuration(totals_.span_ns),
        PctText(totals_.idle_ns, totals_.span_ns));
    if (const auto [count, sum_ns] = Count(kLongGapNs); count > 0) {
      text += fmt::format("; {} gap{} of 100 ms or more {} {} ({})", FormatCount(count),
                          count == 1 ? "" : "s", count == 1 ? "is" : "make up",
                          FormatDuration(sum_ns), PctText(sum_ns, totals_.span_ns));
    }
    if (totals_.idle_ns > 0) {
      const int64_t largest_ns = totals_.class_ns[static_cast<size_t>(Largest())];
      text += fmt::format("; largest part: {}, {} ({} of idle)", InfoOf(Largest()).label,
                          FormatDuration(largest_ns), PctText(largest_ns, totals_.idle_ns));
    }
    return text + ".";
  }

  Facts Summary() const {
    const auto [counted, counted_ns] = Count(kCountedGapNs);
    Facts facts = {.key = "summary"};
    facts.facts = {
        {"view", "view", Unit::kText, std::string(NameOf(facts_.view()))},
        {"span_ns", timelines_.size() > 1 ? "span, added over devices" : "span", Unit::kNs,
         totals_.span_ns},
        {"span_start_ns", "from", Unit::kTimeNs, Start()},
        {"span_end_ns", "to", Unit::kTimeNs, End()},
        {"busy_ns", "busy", Unit::kNs, totals_.busy_ns},
        {"idle_ns", "idle", Unit::kNs, totals_.idle_ns},
        {"idle_pct", "idle share", Unit::kPct, Pct(totals_.idle_ns, totals_.span_ns)},
        {"gap_count", "gaps of 10 us or more", Unit::kCount, counted},
    };
    if (IsDevice() && facts_.window().IsWholeTrace()) {
      const int64_t trace_ns = facts_.window().trace_end_ns - facts_.window().trace_start_ns;
      facts.facts.push_back({"trace_ns",
                             "whole trace (before the first and after the last "
                             "operation included)",
                             Unit::kNs, trace_ns});
    }
    return facts;
  }

  int64_t Start() const {
    int64_t start_ns = INT64_MAX;
    for (const BusyTimeline& timeline : timelines_)
      start_ns = std::min(start_ns, timeline.span.start_ns);
    return start_ns;
  }
  int64_t End() const {
    int64_t end_ns = INT64_MIN;
    for (const BusyTimeline& timeline : timelines_)
      end_ns = std::max(end_ns, timeline.span.end_ns);
    return end_ns;
  }

  Table Causes() const {
    Table table = {.key = "causes",
                   .title = "Where the idle time went (exclusive, first cause that holds)",
                   .columns = {{"cause", "cause"},
                               {"time_ns", "time", Unit::kNs},
                               {"idle_pct", "of idle", Unit::kPct},
                               {"span_pct", "of span", Unit::kPct},
                               {"gap_count", "gaps", Unit::kCount},
                               {"longest_ns", "longest", Unit::kNs}}};
    std::vector<ClassTotal> totals(kIdleClassCount);
    for (const Ledger& ledger : ledgers_) {
      for (size_t i = 0; i < totals.size(); ++i) {
        totals[i].time_ns += ledger.totals[i].time_ns;
        totals[i].gap_count += ledger.totals[i].gap_count;
        totals[i].longest_ns = std::max(totals[i].longest_ns, ledger.totals[i].longest_ns);
      }
    }
    std::vector<IdleClassInfo> infos(AllIdleClasses().begin(), AllIdleClasses().end());
    std::stable_sort(infos.begin(), infos.end(), [&](const auto& a, const auto& b) {
      return totals[static_cast<size_t>(a.idle_class)].time_ns >
             totals[static_cast<size_t>(b.idle_class)].time_ns;
    });
    for (const IdleClassInfo& info : infos) {
      const ClassTotal& total = totals[static_cast<size_t>(info.idle_class)];
      if (total.time_ns == 0) continue;
      table.rows.push_back(
          {std::string(info.label), total.time_ns, Pct(total.time_ns, totals_.idle_ns),
           Pct(total.time_ns, totals_.span_ns), total.gap_count, total.longest_ns});
    }
    return table;
  }

  Paragraph SumCheck() const {
    int64_t sum_ns = 0;
    for (const int64_t class_ns : totals_.class_ns)
      sum_ns += class_ns;
    return {"check", fmt::format("Check: the parts sum to {} ns; idle is {} ns; busy {} ns + idle "
                                 "= span {} ns.",
                                 FormatCount(sum_ns), FormatCount(totals_.idle_ns),
                                 FormatCount(totals_.busy_ns), FormatCount(totals_.span_ns))};
  }

  Table Devices() const {
    Table table = {.key = "devices",
                   .title = "Devices",
                   .columns = {{"device_index", "gpu", Unit::kIdentifier},
                               {"rank", "rank", Unit::kIdentifier},
                               {"span_ns", "span", Unit::kNs},
                               {"busy_ns", "busy", Unit::kNs},
                               {"idle_ns", "idle", Unit::kNs},
                               {"idle_pct", "idle share", Unit::kPct},
                               {"largest_part", "largest part"}}};
    for (size_t i = 0; i < timelines_.size(); ++i) {
      const BusyTimeline& timeline = timelines_[i];
      const GpuInfo* gpu = facts_.actors().FindGpu(timeline.gpu_id);
      table.rows.push_back({gpu == nullptr ? Value() : Value(gpu->device_index),
                            RankOf(timeline.capture_id), timeline.span.duration_ns(),
                            timeline.busy_ns, timeline.idle_ns,
                            Pct(timeline.idle_ns, timeline.span.duration_ns()),
                            std::string(InfoOf(MainClass(TimesOf(ledgers_[i]))).label)});
    }
    constexpr size_t kMaxDevices = 16;
    table.total_rows = static_cast<int64_t>(table.rows.size());
    if (table.rows.size() > kMaxDevices) table.rows.resize(kMaxDevices);
    table.more = "choose one with gpu=";
    return table;
  }

  static ClassTimes TimesOf(const Ledger& ledger) {
    ClassTimes times{};
    for (size_t i = 0; i < times.size(); ++i)
      times[i] = ledger.totals[i].time_ns;
    return times;
  }

  Value RankOf(int64_t capture_id) const {
    for (const CaptureInfo& capture : facts_.actors().captures()) {
      if (capture.id == capture_id && capture.rank) return *capture.rank;
    }
    return {};
  }

  const Gap& At(const GapRef& ref) const { return timelines_[ref.timeline].gaps[ref.position]; }

  bool IsLonger(const GapRef& a, const GapRef& b) const {
    const int64_t a_ns = At(a).duration_ns();
    const int64_t b_ns = At(b).duration_ns();
    if (a_ns != b_ns) return a_ns > b_ns;
    return std::pair(At(a).start_ns, a.timeline) < std::pair(At(b).start_ns, b.timeline);
  }

  // The `limit` longest, longest first: a heap with the shortest of them on top.
  std::vector<GapRef> Longest(size_t limit, int64_t min_gap_ns) const {
    const auto is_longer = [this](const GapRef& a, const GapRef& b) { return IsLonger(a, b); };
    std::vector<GapRef> longest;
    for (size_t i = 0; i < timelines_.size(); ++i) {
      const std::vector<Gap>& gaps = timelines_[i].gaps;
      for (size_t k = 0; k < gaps.size(); ++k) {
        if (gaps[k].duration_ns() < min_gap_ns) continue;
        if (longest.size() == limit) {
          if (!IsLonger({i, k}, longest.front())) continue;
          std::pop_heap(longest.begin(), longest.end(), is_longer);
          longest.pop_back();
        }
        longest.push_back({i, k});
        std::push_heap(longest.begin(), longest.end(), is_longer);
      }
    }
    std::sort_heap(longest.begin(), longest.end(), is_longer);
    return longest;
  }

  Result<Table> Gaps(int64_t limit, int64_t min_gap_ns) const {
    Table table = {.key = "gaps",
                   .title = "Longest gaps",
                   .columns = {{"start_ns", "start", Unit::kTimeNs},
                               {"duration_ns", "length", Unit::kNs},
                               {"main_cause", "main cause"},
                               {"main_cause_ns", "of it", Unit::kNs},
                               {"next", IsDevice() ? "next operation" : "next call"},
                               {"thread", "thread whose turn it was"}}};
    table.total_rows = Count(min_gap_ns).first;
    for (const GapRef& ref : Longest(static_cast<size_t>(limit), min_gap_ns)) {
      GPUWHY_ASSIGN_OR_RETURN(auto row, GapRow(ref));
      table.rows.push_back(std::move(row));
    }
    table.more = fmt::format("call again with limit={} or min_gap=1ms",
                             std::min(kMaxGaps, std::max(table.total_rows, limit)));
    return table;
  }

  Result<std::vector<Value>> GapRow(const GapRef& ref) const {
    const Gap& gap = At(ref);
    GPUWHY_ASSIGN_OR_RETURN(const ClassTimes times, facts_.TimesOf(timelines_[ref.timeline], gap));
    const IdleClass main = MainClass(times);
    GPUWHY_ASSIGN_OR_RETURN(std::string next, NextName(gap));
    return std::vector<Value>{gap.start_ns,
                              gap.duration_ns(),
                              std::string(InfoOf(main).label),
                              times[static_cast<size_t>(main)],
                              std::move(next),
                              gap.thread_id == 0 ? std::string("not recorded")
                                                 : facts_.actors().DescribeThread(gap.thread_id)};
  }

  Result<std::string> NextName(const Gap& gap) const {
    if (gap.next_row < 0) return std::string("(nothing followed)");
    const auto row = static_cast<size_t>(gap.next_row);
    int32_t name_id = 0;
    if (IsDevice()) {
      GPUWHY_ASSIGN_OR_RETURN(const auto* ops, facts_.DeviceOps());
      name_id = (*ops)[row].name_id;
    } else {
      GPUWHY_ASSIGN_OR_RETURN(const auto* calls, facts_.HostCalls());
      name_id = (*calls)[row].name_id;
    }
    GPUWHY_ASSIGN_OR_RETURN(const std::string name, facts_.NameText(name_id));
    return CleanText(ShortKernelName(name), kOpNameLimit);
  }

  void AddNext() {
    const std::string_view next = InfoOf(Largest()).next;
    if (!next.empty()) answer_.next.emplace_back(next);
    if (next != "get_findings") answer_.next.emplace_back("get_findings");
    if (IsDevice()) answer_.next.emplace_back("get_kernel_breakdown");
  }

  const TraceFacts& facts_;
  const std::vector<BusyTimeline>& timelines_;
  const std::vector<Ledger>& ledgers_;
  const TraceFacts::Totals& totals_;
  Answer answer_;
};

Result<int64_t> MinGap(const Params& params) {
  if (!params.Has("min_gap")) return int64_t{0};
  GPUWHY_ASSIGN_OR_RETURN(const int64_t min_gap_ns, ParseInstant(params.Text("min_gap"), 0, 0));
  if (min_gap_ns < 0) return InvalidArgument("min_gap must be a length such as 10us or 1ms");
  return min_gap_ns;
}

Result<Answer> Run(const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(const int64_t min_gap_ns, MinGap(context.params));
  GPUWHY_ASSIGN_OR_RETURN(const auto facts, LoadFacts(context));
  GPUWHY_ASSIGN_OR_RETURN(const auto* timelines, facts->Timelines());
  if (timelines->empty()) {
    return NotFound("idle time cannot be told: " + (facts->view() == View::kNone
                                                        ? facts->ViewLimits()
                                                        : "no device operation in that scope"));
  }
  GPUWHY_ASSIGN_OR_RETURN(const auto* ledgers, facts->Ledgers());
  GPUWHY_ASSIGN_OR_RETURN(const TraceFacts::Totals totals, facts->Sum());
  return AnswerMaker(*facts, *timelines, *ledgers, totals)
      .Make(context.params.Int("limit"), min_gap_ns);
}

}  // namespace

Tool Define() {
  return {.name = "get_gpu_idle_causes",
          .title = "GPU idle causes",
          .description =
              "Explains why the GPU was idle: splits all idle time among exclusive causes (host on "
              "a core, waiting for a core, disk, data loader, sync, launch latency, ...) that sum "
              "to the total, and lists the longest gaps. Without device rows it does so for time "
              "without CUDA calls.",
          .params = {SinceParam(),
                     UntilParam(),
                     ProcessParam(),
                     GpuParam(),
                     LimitParam(kDefaultGaps, kMaxGaps),
                     {.name = "min_gap",
                      .description = "Shortest gap to list, for example 10us or 1ms."}},
          .run = &Run};
}

}  // namespace gpuwhy::tools::get_gpu_idle_causes
