// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "schema/base/text.h"
#include "tools/analysis/actors.h"
#include "tools/support/process_totals.h"
#include "tools/support/scope_params.h"
#include "tools/support/tables.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_per_process_breakdown {
namespace {

constexpr size_t kNameLimit = 40;
constexpr int64_t kDefaultLimit = 12;
constexpr int64_t kMaxLimit = 200;
constexpr std::string_view kTimeoutTag = "timeout-shaped wait";

struct Breakdown {
  const Actors& actors;
  const Window& window;
  AllTotals totals = {};
};

// Runtime calls, or driver calls where the program makes no other: a runtime call and the driver
// call inside it are one.
const Total& CudaCalls(const ProcessTotals& totals) {
  return totals.runtime_calls.event_count > 0 ? totals.runtime_calls : totals.driver_calls;
}

std::string RoleOf(const Actors& actors, const ProcessInfo& process) {
  std::string role;
  if (process.rank) role = fmt::format("rank {}", *process.rank);
  const ProcessInfo* parent = actors.FindProcess(process.parent_id);
  const auto add = [&](const std::string& text) { role += (role.empty() ? "" : ", ") + text; };
  if (parent != nullptr) add(fmt::format("child of {}", parent->pid));
  const size_t children = actors.ChildrenOf(process.id).size();
  if (children > 0) add(fmt::format("parent of {}", children));
  return role;
}

int64_t ThreadCount(const Actors& actors, int64_t process_id) {
  return std::count_if(actors.threads().begin(), actors.threads().end(),
                       [&](const ThreadInfo& thread) { return thread.process_id == process_id; });
}

struct Lifetime {
  std::optional<int64_t> start_ns;
  std::optional<int64_t> end_ns;
};

// The part of a thread's life in the window that it did not spend off a core: an upper bound,
// because a wait that had not ended when the recording did is not in the numbers.
std::optional<int64_t> OnCpuAtMost(const Breakdown& breakdown, Lifetime life,
                                   const Total* off_cpu) {
  constexpr int64_t kFineNs = 1'000'000'000;
  const bool is_covered = breakdown.window.IsWholeTrace() || breakdown.totals.width_ns <= kFineNs;
  if (off_cpu == nullptr || off_cpu->event_count == 0 || !is_covered) return std::nullopt;
  const Window& window = breakdown.window;
  const int64_t start_ns = std::max(window.start_ns, life.start_ns.value_or(INT64_MIN));
  const int64_t end_ns = std::min(window.end_ns, life.end_ns.value_or(INT64_MAX));
  return std::max<int64_t>(0, end_ns - start_ns - off_cpu->sum_ns);
}

const Total* OffCpuOf(const ProcessTotals& totals, int64_t thread_id) {
  const auto it = totals.off_cpu_of_threads.find(thread_id);
  return it == totals.off_cpu_of_threads.end() ? nullptr : &it->second;
}

std::optional<int64_t> MainThreadOnCpu(const Breakdown& breakdown, const ProcessInfo& process,
                                       const ProcessTotals& totals) {
  for (const ThreadInfo& thread : breakdown.actors.threads()) {
    if (thread.process_id != process.id || thread.tid != process.pid) continue;
    return OnCpuAtMost(breakdown, {thread.start_ns, thread.end_ns}, OffCpuOf(totals, thread.id));
  }
  return std::nullopt;
}

Value Optional(const std::optional<int64_t>& value) {
  return value ? Value(*value) : Value();
}

std::vector<Value> ProcessCells(const Breakdown& breakdown, const ProcessInfo& process,
                                const ProcessTotals& totals) {
  const Total& calls = CudaCalls(totals);
  return {CleanText(process.name, kNameLimit),
          process.pid,
          RoleOf(breakdown.actors, process),
          ThreadCount(breakdown.actors, process.id),
          calls.event_count,
          calls.sum_ns,
          totals.gpu_ops.event_count,
          totals.gpu_ops.sum_ns,
          Optional(MainThreadOnCpu(breakdown, process, totals)),
          totals.off_cpu.event_count,
          totals.off_cpu.sum_ns,
          totals.off_cpu.max_ns,
          totals.page_allocs.event_count,
          totals.page_allocs.sum_bytes,
          totals.block_reads.sum_bytes,
          totals.block_writes.sum_bytes};
}

Table ProcessTable(const Breakdown& breakdown, int64_t limit) {
  Table table{.key = "processes",
              .title = "Processes, threads folded in",
              .columns = {{"name", "process"},
                          {"pid", "pid", Unit::kIdentifier},
                          {"role", "role"},
                          {"thread_count", "threads", Unit::kCount},
                          {"cuda_call_count", "CUDA calls", Unit::kCount},
                          {"cuda_call_ns", "CUDA time", Unit::kNs},
                          {"gpu_op_count", "GPU ops", Unit::kCount},
                          {"gpu_op_ns", "GPU time", Unit::kNs},
                          {"main_thread_on_cpu_max_ns", "main on CPU at most", Unit::kNs},
                          {"switch_count", "switches", Unit::kCount},
                          {"off_cpu_ns", "off-CPU", Unit::kNs},
                          {"off_cpu_max_ns", "longest", Unit::kNs},
                          {"page_alloc_count", "page allocs", Unit::kCount},
                          {"page_alloc_bytes", "allocated", Unit::kBytes},
                          {"read_bytes", "read", Unit::kBytes},
                          {"write_bytes", "written", Unit::kBytes}}};
  for (const ProcessTotals& totals : breakdown.totals.processes) {
    const ProcessInfo* process = breakdown.actors.FindProcess(totals.process_id);
    if (process != nullptr) table.rows.push_back(ProcessCells(breakdown, *process, totals));
  }
  KeepRows(table, limit, fmt::format("call again with limit={}", kMaxLimit));
  DropEmptyColumns(table);
  return table;
}

Table CudaTable(const Breakdown& breakdown, int64_t limit) {
  struct Entry {
    const ProcessInfo* process;
    const CudaOperation* operation;
  };
  std::vector<Entry> entries;
  for (const ProcessTotals& totals : breakdown.totals.processes) {
    const ProcessInfo* process = breakdown.actors.FindProcess(totals.process_id);
    if (process == nullptr) continue;
    for (const CudaOperation& operation : totals.cuda_operations)
      entries.push_back({process, &operation});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.operation->total.sum_ns > b.operation->total.sum_ns;
  });
  Table table{.key = "cuda_operations",
              .title = "CUDA calls; a runtime call contains its driver call, do not add them",
              .columns = {{"pid", "pid", Unit::kIdentifier},
                          {"operation", "operation"},
                          {"layer", "layer"},
                          {"event_count", "calls", Unit::kCount},
                          {"sum_ns", "sum", Unit::kNs},
                          {"mean_ns", "mean", Unit::kNs},
                          {"max_ns", "max", Unit::kNs},
                          {"sum_bytes", "bytes", Unit::kBytes}}};
  for (const auto& [process, operation] : entries) {
    const Total& total = operation->total;
    table.rows.push_back({process->pid, CleanText(operation->name, kNameLimit),
                          std::string(operation->is_driver ? "driver" : "runtime"),
                          total.event_count, total.sum_ns, total.sum_ns / total.event_count,
                          total.max_ns, total.sum_bytes > 0 ? Value(total.sum_bytes) : Value()});
  }
  KeepRows(table, limit, fmt::format("call again with limit={}", kMaxLimit));
  DropEmptyColumns(table);
  return table;
}

std::vector<Value> ThreadCells(const Breakdown& breakdown, const ThreadInfo& thread,
                               const Total* off_cpu) {
  const ProcessInfo* process = breakdown.actors.ProcessOfThread(thread.id);
  const Total none;
  const Total& total = off_cpu == nullptr ? none : *off_cpu;
  const int64_t pid = process == nullptr ? 0 : process->pid;
  return {CleanText(thread.name, kNameLimit),
          thread.tid,
          pid,
          std::string(thread.tid == pid ? "main" : "thread"),
          Optional(OnCpuAtMost(breakdown, {thread.start_ns, thread.end_ns}, off_cpu)),
          total.event_count,
          total.sum_ns,
          total.event_count > 0 ? Value(total.sum_ns / total.event_count) : Value(),
          total.max_ns,
          std::string(IsTimeoutShaped(total.max_ns) ? kTimeoutTag : "")};
}

Table ThreadTable(const Breakdown& breakdown, int64_t limit) {
  Table table{.key = "threads",
              .title = "Threads",
              .columns = {{"name", "thread"},
                          {"tid", "tid", Unit::kIdentifier},
                          {"pid", "process", Unit::kIdentifier},
                          {"role", "role"},
                          {"on_cpu_max_ns", "on CPU at most", Unit::kNs},
                          {"switch_count", "switches", Unit::kCount},
                          {"off_cpu_ns", "off-CPU", Unit::kNs},
                          {"off_cpu_mean_ns", "mean", Unit::kNs},
                          {"off_cpu_max_ns", "longest", Unit::kNs},
                          {"longest_wait", "the longest is a"}}};
  for (const ProcessTotals& totals : breakdown.totals.processes) {
    for (const ThreadInfo& thread : breakdown.actors.threads()) {
      if (thread.process_id != totals.process_id) continue;
      table.rows.push_back(ThreadCells(breakdown, thread, OffCpuOf(totals, thread.id)));
    }
  }
  KeepRows(table, limit, fmt::format("call again with threads=true limit={}", kMaxLimit));
  DropEmptyColumns(table);
  return table;
}

void AddTimeoutNotes(const Breakdown& breakdown, Answer& answer) {
  for (const ProcessTotals& totals : breakdown.totals.processes) {
    for (const auto& [thread_id, total] : totals.off_cpu_of_threads) {
      if (!IsTimeoutShaped(total.max_ns)) continue;
      answer.notes.push_back(fmt::format(
          "longest wait of {}: {}, a {}: a poll or queue with a time-out, not contention",
          breakdown.actors.DescribeThread(thread_id), FormatDuration(total.max_ns), kTimeoutTag));
    }
  }
}

void AddCoverageNotes(const Breakdown& breakdown, Answer& answer) {
  const AllTotals& totals = breakdown.totals;
  const bool has_off_cpu =
      std::any_of(totals.processes.begin(), totals.processes.end(),
                  [](const ProcessTotals& process) { return process.off_cpu.event_count > 0; });
  if (!has_off_cpu) {
    answer.notes.emplace_back("scheduling was not recorded, so time on and off the CPU is unknown");
  }
  const bool is_aligned =
      totals.start_ns >= breakdown.window.start_ns && totals.end_ns <= breakdown.window.end_ns;
  if (breakdown.window.IsWholeTrace() || is_aligned) return;
  answer.notes.push_back(fmt::format("counts are kept per {}, so they cover {} to {}",
                                     FormatDuration(totals.width_ns),
                                     FormatValue(totals.start_ns, Unit::kTimeNs, answer.origin_ns),
                                     FormatValue(totals.end_ns, Unit::kTimeNs, answer.origin_ns)));
}

Status AddSharing(const TraceDb& db, const Breakdown& breakdown, Answer& answer) {
  const auto& processes = breakdown.totals.processes;
  const auto users = std::count_if(processes.begin(), processes.end(), [](const auto& totals) {
    return CudaCalls(totals).event_count + totals.gpu_ops.event_count > 0;
  });
  if (users < 2) return {};
  GPUWHY_ASSIGN_OR_RETURN(const Sharing sharing, FindSharing(db, breakdown.window));
  if (!sharing.is_shared) {
    answer.notes.push_back(fmt::format("{} processes used CUDA, never at the same time{}", users,
                                       sharing.is_measured_on_device ? " on one device" : ""));
    return {};
  }
  answer.notes.push_back(fmt::format(
      "{}: {} and {} overlap in time, first at {}",
      sharing.is_measured_on_device ? "shared GPU, work of both"
                                    : "CUDA calls of several processes (device unknown)",
      breakdown.actors.DescribeProcess(sharing.first_process_id),
      breakdown.actors.DescribeProcess(sharing.second_process_id),
      FormatValue(sharing.first_overlap_ns, Unit::kTimeNs, answer.origin_ns)));
  return {};
}

std::string Headline(const Breakdown& breakdown) {
  const auto& processes = breakdown.totals.processes;
  const auto users = std::count_if(processes.begin(), processes.end(), [](const auto& totals) {
    return CudaCalls(totals).event_count + totals.gpu_ops.event_count > 0;
  });
  const std::string count =
      fmt::format("{} process{}", processes.size(), processes.size() == 1 ? "" : "es");
  if (users == 0) return count + ", none with recorded CUDA calls";
  // Sorted: the first is the one that uses the GPU most.
  const ProcessTotals& first = processes.front();
  const Total& calls = CudaCalls(first);
  std::string text = fmt::format("{}, {} with CUDA; {}{}: {} CUDA calls, {}", count, users,
                                 users == 1 ? "" : "the most active is ",
                                 breakdown.actors.DescribeProcess(first.process_id),
                                 FormatCount(calls.event_count), FormatDuration(calls.sum_ns));
  if (first.gpu_ops.event_count > 0) {
    text += fmt::format(", {} GPU operations, {}", FormatCount(first.gpu_ops.event_count),
                        FormatDuration(first.gpu_ops.sum_ns));
  }
  return text;
}

void Select(const std::vector<int64_t>& process_ids, std::vector<ProcessTotals>& processes) {
  const std::unordered_set<int64_t> wanted(process_ids.begin(), process_ids.end());
  std::erase_if(processes, [&](const ProcessTotals& totals) {
    return !wanted.empty() && !wanted.contains(totals.process_id);
  });
  std::stable_sort(processes.begin(), processes.end(), [](const auto& a, const auto& b) {
    const auto key = [](const ProcessTotals& totals) {
      return std::tuple(totals.gpu_ops.sum_ns, CudaCalls(totals).sum_ns, totals.off_cpu.event_count,
                        totals.page_allocs.event_count);
    };
    return key(a) > key(b);
  });
}

Result<Answer> Run(const ToolContext& context) {
  const TraceDb& db = *context.db;
  GPUWHY_ASSIGN_OR_RETURN(const Window window, ResolveWindow(db, context.params));
  GPUWHY_ASSIGN_OR_RETURN(const auto process_ids, ResolveProcesses(db, context.params));
  GPUWHY_ASSIGN_OR_RETURN(const Actors actors, Actors::Load(db));
  Breakdown breakdown{.actors = actors, .window = window};
  GPUWHY_ASSIGN_OR_RETURN(breakdown.totals, LoadProcessTotals(db, window));
  Select(process_ids, breakdown.totals.processes);
  const int64_t limit = context.params.Int("limit");
  Answer answer{.headline = Headline(breakdown), .origin_ns = window.trace_start_ns};
  answer.sections.emplace_back(ProcessTable(breakdown, limit));
  Table calls = CudaTable(breakdown, limit);
  if (!calls.rows.empty()) answer.sections.emplace_back(std::move(calls));
  const bool has_threads = context.params.Flag("threads");
  if (has_threads) answer.sections.emplace_back(ThreadTable(breakdown, limit));
  AddTimeoutNotes(breakdown, answer);
  AddCoverageNotes(breakdown, answer);
  GPUWHY_RETURN_IF_ERROR(AddSharing(db, breakdown, answer));
  if (!has_threads) answer.next.emplace_back("get_per_process_breakdown threads=true");
  return answer;
}

}  // namespace

Tool Define() {
  return {
      .name = "get_per_process_breakdown",
      .title = "Breakdown per process",
      .description =
          "Shows what each process did: CUDA calls, GPU time, context switches and time off the "
          "CPU, page allocations, disk I/O, with parents and children. Use it to see which process "
          "or worker matters.",
      .params = {SinceParam(),
                 UntilParam(),
                 ProcessParam(),
                 {.name = "threads",
                  .type = ParamType::kBoolean,
                  .description = "List the threads of each process too."},
                 LimitParam(kDefaultLimit, kMaxLimit)},
      .run = &Run};
}

}  // namespace gpuwhy::tools::get_per_process_breakdown
