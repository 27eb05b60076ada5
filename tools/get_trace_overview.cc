// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "schema/base/text.h"
#include "tools/analysis/activity_split.h"
#include "tools/analysis/event_totals.h"
#include "tools/analysis/load_facts.h"
#include "tools/analysis/steps.h"
#include "tools/support/scope_params.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_trace_overview {
namespace {

// Above this many rows busy time is left to get_gpu_idle_causes: the overview answers in 50 ms.
constexpr int64_t kMaxExactRows = 300'000;
constexpr size_t kMaxProcesses = 6;
constexpr size_t kMaxCaptures = 8;
constexpr size_t kMaxLosses = 6;
constexpr size_t kTextLimit = 60;

double Pct(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string PctText(int64_t part, int64_t whole) {
  return FormatNumber(Pct(part, whole), 1) + " %";
}

template <typename T>
std::string Join(const std::set<T>& values, size_t limit) {
  std::vector<T> shown(values.begin(), values.end());
  if (shown.size() > limit) shown.resize(limit);
  return fmt::format("{}{}", fmt::join(shown, ", "), values.size() > limit ? ", ..." : "");
}

class AnswerMaker {
 public:
  AnswerMaker(const TraceFacts& facts, const EventTotals& totals)
      : facts_(facts), totals_(totals) {}

  Result<Answer> Make() {
    answer_.origin_ns = facts_.window().trace_start_ns;
    answer_.sections.emplace_back(Recorded());
    GPUWHY_ASSIGN_OR_RETURN(Facts activity, Activity());
    answer_.sections.emplace_back(std::move(activity));
    answer_.sections.emplace_back(Events());
    answer_.sections.emplace_back(Processes());
    answer_.sections.emplace_back(Collectors());
    if (!facts_.actors().losses().empty()) answer_.sections.emplace_back(Losses());
    answer_.headline = fmt::format("{}: {}.", TraceName(), activity_text_);
    answer_.notes = StandardNotes(facts_);
    answer_.next = {"get_findings", "get_gpu_idle_causes"};
    answer_.next.emplace_back(facts_.Has(Collector::kGpuOp) ? "get_kernel_breakdown"
                                                            : "get_per_process_breakdown");
    return std::move(answer_);
  }

 private:
  std::string TraceName() const {
    std::set<std::string> kinds;
    for (const CaptureInfo& capture : facts_.actors().captures())
      kinds.insert(CleanText(capture.kind, kTextLimit));
    const Window& window = facts_.window();
    return fmt::format("{} trace of {}{}", Join(kinds, 3),
                       FormatDuration(window.trace_end_ns - window.trace_start_ns),
                       window.IsWholeTrace()
                           ? ""
                           : fmt::format(", window of {}", FormatDuration(window.duration_ns())));
  }

  Facts Recorded() const {
    std::set<std::string> hosts, gpus, tools;
    std::set<int64_t> ranks;
    for (const CaptureInfo& capture : facts_.actors().captures()) {
      if (!capture.host.empty()) hosts.insert(CleanText(capture.host, kTextLimit));
      if (!capture.tool_version.empty()) tools.insert(CleanText(capture.tool_version, kTextLimit));
      if (capture.rank) ranks.insert(*capture.rank);
    }
    for (const GpuInfo& gpu : facts_.actors().gpus()) {
      if (!gpu.name.empty()) gpus.insert(CleanText(gpu.name, kTextLimit));
    }
    Facts out = {.key = "recorded"};
    const auto add = [&](const char* key, const char* label, Unit unit, Value value) {
      out.facts.push_back({key, label, unit, std::move(value)});
    };
    add("start", "start", Unit::kText, FormatTimestamp(facts_.window().trace_start_ns) + " UTC");
    add("duration_ns", "duration", Unit::kNs,
        facts_.window().trace_end_ns - facts_.window().trace_start_ns);
    add("capture_count", "recordings", Unit::kCount,
        static_cast<int64_t>(facts_.actors().captures().size()));
    if (!tools.empty()) add("recorder", "recorder", Unit::kText, Join(tools, 2));
    if (!hosts.empty()) add("host", "host", Unit::kText, Join(hosts, 4));
    if (!gpus.empty()) add("gpu", "GPU", Unit::kText, Join(gpus, 3));
    if (!ranks.empty()) add("ranks", "ranks", Unit::kText, Join(ranks, kMaxCaptures));
    if (facts_.actors().CpuCount() > 0) {
      add("cpu_count", "CPUs", Unit::kCount, facts_.actors().CpuCount());
    }
    return out;
  }

  Result<Facts> Activity() {
    Facts out = {.key = "activity"};
    out.facts.push_back({"view", "view", Unit::kText, std::string(NameOf(facts_.view()))});
    GPUWHY_RETURN_IF_ERROR(AddView(out));
    GPUWHY_RETURN_IF_ERROR(AddSteps(out));
    return out;
  }

  Status AddView(Facts& out) {
    if (facts_.view() == View::kNone) {
      activity_text_ = "neither device operations nor CUDA calls were recorded";
      return {};
    }
    if (facts_.view() == View::kQueue) return AddQueue(out);
    const bool is_device = facts_.view() == View::kDevice;
    const std::string source = is_device ? "gpu_op" : "api_call";
    if (totals_.Stored(source) > kMaxExactRows) {
      AddEstimate(source, out);
      return {};
    }
    return is_device ? AddDevice(out) : AddApi(out);
  }

  void AddEstimate(const std::string& source, Facts& out) {
    const EventTotal& total = totals_.by_source.at(source);
    out.facts.push_back({"sum_ns", "sum of durations (may overlap)", Unit::kNs, total.sum_ns});
    activity_text_ = fmt::format(
        "{} {}, {} in all; get_gpu_idle_causes gives the exact busy and idle time",
        FormatCount(total.event_count), source == "gpu_op" ? "device operations" : "CUDA calls",
        FormatDuration(total.sum_ns));
  }

  // Few rows, however many calls there are.
  Status AddQueue(Facts& out) {
    GPUWHY_ASSIGN_OR_RETURN(const auto* timelines, facts_.Timelines());
    const BusyTimeline& timeline = timelines->front();
    const int64_t span_ns = timeline.span.duration_ns();
    activity_text_ =
        fmt::format("the device had work queued for {} of {} ({}) and none for {} ({})",
                    FormatDuration(timeline.busy_ns), FormatDuration(span_ns),
                    PctText(timeline.busy_ns, span_ns), FormatDuration(timeline.idle_ns),
                    PctText(timeline.idle_ns, span_ns));
    const std::vector<Fact> facts = {
        {"span_ns", "first to last work", Unit::kNs, span_ns},
        {"busy_ns", "with work queued", Unit::kNs, timeline.busy_ns},
        {"idle_ns", "idle, proven", Unit::kNs, timeline.idle_ns},
        {"idle_pct", "idle share", Unit::kPct, Pct(timeline.idle_ns, span_ns)}};
    out.facts.insert(out.facts.end(), facts.begin(), facts.end());
    return {};
  }

  Status AddDevice(Facts& out) {
    GPUWHY_ASSIGN_OR_RETURN(const auto* ops, facts_.DeviceOps());
    const Window& window = facts_.window();
    const ActivitySplit split = SplitActivity(*ops, {window.start_ns, window.end_ns});
    // A given window is the denominator itself, for each device.
    const std::set<int32_t> devices = DevicesOf(*ops);
    const int64_t span_ns = window.IsWholeTrace()
                                ? split.span_ns
                                : window.duration_ns() * static_cast<int64_t>(devices.size());
    const int64_t idle_ns = span_ns - split.busy_ns;
    activity_text_ = fmt::format("the device was busy {} of {} ({}) and idle {} ({})",
                                 FormatDuration(split.busy_ns), FormatDuration(span_ns),
                                 PctText(split.busy_ns, span_ns), FormatDuration(idle_ns),
                                 PctText(idle_ns, span_ns));
    const std::vector<Fact> facts = {
        {"span_ns",
         devices.size() > 1 ? "first to last operation, added over devices"
                            : "first to last operation",
         Unit::kNs, span_ns},
        {"busy_ns", "busy", Unit::kNs, split.busy_ns},
        {"idle_ns", "idle", Unit::kNs, idle_ns},
        {"idle_pct", "idle share", Unit::kPct, Pct(idle_ns, span_ns)},
        {"compute_ns", "computation", Unit::kNs, split.of(KernelClass::kCompute)},
        {"comm_ns", "communication", Unit::kNs, split.of(KernelClass::kComm)},
        {"comm_exposed_ns", "communication not hidden", Unit::kNs, split.comm_exposed_ns()},
        {"memory_ns", "copies and sets", Unit::kNs, split.of(KernelClass::kMemory)}};
    out.facts.insert(out.facts.end(), facts.begin(), facts.end());
    return {};
  }

  static std::set<int32_t> DevicesOf(const std::vector<DeviceOp>& ops) {
    std::set<int32_t> devices;
    for (const DeviceOp& op : ops)
      devices.insert(op.gpu_id);
    return devices;
  }

  Status AddApi(Facts& out) {
    GPUWHY_ASSIGN_OR_RETURN(const auto* timelines, facts_.Timelines());
    const BusyTimeline& timeline = timelines->front();
    const int64_t span_ns = timeline.span.duration_ns();
    activity_text_ = fmt::format("no CUDA call was in flight for {} of {} ({})",
                                 FormatDuration(timeline.idle_ns), FormatDuration(span_ns),
                                 PctText(timeline.idle_ns, span_ns));
    const std::vector<Fact> facts = {
        {"span_ns", "span", Unit::kNs, span_ns},
        {"busy_ns", "with a CUDA call in flight", Unit::kNs, timeline.busy_ns},
        {"idle_ns", "without", Unit::kNs, timeline.idle_ns},
        {"idle_pct", "share without", Unit::kPct, Pct(timeline.idle_ns, span_ns)}};
    out.facts.insert(out.facts.end(), facts.begin(), facts.end());
    return {};
  }

  Status AddSteps(Facts& out) const {
    if (!facts_.Has(Collector::kRange) || totals_.Stored("range") > kMaxExactRows) return {};
    GPUWHY_ASSIGN_OR_RETURN(const std::vector<Step> steps, LoadSteps(facts_.db()));
    if (steps.empty()) return {};
    out.facts.push_back(
        {"step_count", "steps (ProfilerStep)", Unit::kCount, static_cast<int64_t>(steps.size())});
    out.facts.push_back({"step_median_ns", "step, median", Unit::kNs, MedianStepNs(steps)});
    return {};
  }

  Table Events() const {
    Table table = {.key = "events",
                   .title = "Events (stored as rows, of those counted)",
                   .columns = {{"table", "table"},
                               {"stored_count", "stored", Unit::kCount},
                               {"event_count", "counted", Unit::kCount},
                               {"sum_ns", "sum of durations", Unit::kNs}}};
    for (const auto& [source, total] : totals_.by_source)
      table.rows.push_back({source, total.stored_count, total.event_count, total.sum_ns});
    return table;
  }

  Table Processes() const {
    Table table = {.key = "processes",
                   .title = "Processes with most events",
                   .columns = {{"process", "process"},
                               {"api_call_count", "CUDA calls", Unit::kCount},
                               {"gpu_op_count", "device ops", Unit::kCount},
                               {"off_cpu_count", "times off a core", Unit::kCount},
                               {"event_count", "events", Unit::kCount}},
                   .more = "get_per_process_breakdown"};
    std::vector<std::pair<int64_t, int64_t>> order;  // events, process
    for (const auto& [process_id, by_source] : totals_.by_process) {
      if (!facts_.scope().HasProcess(process_id)) continue;
      int64_t count = 0;
      for (const auto& [source, total] : by_source)
        count += total.event_count;
      order.emplace_back(count, process_id);
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    table.total_rows = static_cast<int64_t>(order.size());
    if (order.size() > kMaxProcesses) order.resize(kMaxProcesses);
    for (const auto& [count, process_id] : order) {
      table.rows.push_back({facts_.actors().DescribeProcess(process_id),
                            CountOf(process_id, "api_call"), CountOf(process_id, "gpu_op"),
                            CountOf(process_id, "off_cpu"), count});
    }
    return table;
  }

  int64_t CountOf(int64_t process_id, const std::string& source) const {
    const auto& by_source = totals_.by_process.at(process_id);
    const auto it = by_source.find(source);
    return it == by_source.end() ? 0 : it->second.event_count;
  }

  Facts Collectors() const {
    std::vector<std::string_view> present, absent;
    for (const CollectorInfo& info : AllCollectors()) {
      if (info.collector == Collector::kForeignFinding && !facts_.Has(info.collector)) continue;
      (facts_.Has(info.collector) ? present : absent).push_back(info.label);
    }
    Facts out = {.key = "collectors"};
    out.facts = {{"present", "recorded", Unit::kText, fmt::format("{}", fmt::join(present, ", "))},
                 {"absent", "not recorded", Unit::kText,
                  absent.empty() ? "nothing" : fmt::format("{}", fmt::join(absent, ", "))}};
    return out;
  }

  Table Losses() const {
    Table table = {.key = "losses",
                   .title = "Lost, repaired and skipped records",
                   .columns = {{"severity", "severity"},
                               {"count", "records", Unit::kCount},
                               {"name", "what"},
                               {"description", "what happened"}},
                   .more = "run_sql SELECT * FROM loss"};
    for (const LossInfo& loss : facts_.actors().losses()) {
      if (loss.event_count > 0) {
        table.rows.push_back(
            {loss.severity, loss.event_count, loss.name, CleanText(loss.description, 100)});
      }
    }
    table.total_rows = static_cast<int64_t>(table.rows.size());
    if (table.rows.size() > kMaxLosses) table.rows.resize(kMaxLosses);
    return table;
  }

  const TraceFacts& facts_;
  const EventTotals& totals_;
  std::string activity_text_;
  Answer answer_;
};

Result<Answer> Run(const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(const auto facts, LoadFacts(context));
  GPUWHY_ASSIGN_OR_RETURN(const EventTotals totals, LoadEventTotals(*context.db, facts->window()));
  return AnswerMaker(*facts, totals).Make();
}

}  // namespace

Tool Define() {
  return {
      .name = "get_trace_overview",
      .title = "Trace overview",
      .description =
          "Summarises a trace: what was recorded and when, GPU busy and idle share, computation "
          "and communication, steps, processes, event counts, what is missing and what was "
          "lost. Call it first.",
      .params = {SinceParam(), UntilParam(), ProcessParam()},
      .run = &Run};
}

}  // namespace gpuwhy::tools::get_trace_overview
