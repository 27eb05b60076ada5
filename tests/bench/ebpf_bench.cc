// SPDX-License-Identifier: Apache-2.0
// ebpf_bench: what recording costs the program that is recorded and the recorder itself, beside an
// empty pair of probes and bpftrace; rows that are lost at high rates; bytes of a row; time to
// attach. Says that it is skipped where BPF programs cannot be loaded.
#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "collectors/ebpf/functions.h"
#include "collectors/ebpf/live_recording.h"
#include "collectors/ebpf/uprobe_multi.h"
#include "collectors/symbols/elf_symbols.h"
#include "tests/bench/ebpf_load.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy::bench {
namespace {

constexpr double kBudgetRatio = 1.1;
constexpr double kBudgetCpuPct = 5;
constexpr int kBudgetRowBytes = 40;

struct Recorded {
  std::vector<double> numbers;
  double recorder_cpu_s = 0;
  double wall_s = 0;
  double attach_ms = 0;
  double detach_ms = 0;
};

int64_t IntOf(const TraceDb& db, const std::string& sql) {
  const auto value = db.QueryInt(sql);
  return value.ok() ? value.value() : -1;
}

Result<Recorded> Record(const std::string& database, LoadProcess& process,
                        RecordingOptions options = {}) {
  Recorded recorded;
  options.pids = {process.pid()};
  GPUWHY_ASSIGN_OR_RETURN(const TraceDb db, TraceDb::OpenForWriting(database));
  const int64_t before_ns = NowNs();
  GPUWHY_ASSIGN_OR_RETURN(const auto recording, LiveRecording::Start(db, options));
  const int64_t start_ns = NowNs();
  const int64_t cpu_ns = ProcessCpuNs();
  process.Begin();
  for (int64_t second = 1; !process.HasEnded();) {
    GPUWHY_RETURN_IF_ERROR(recording->Read(std::chrono::milliseconds(100)));
    if (NowNs() < start_ns + second * 1'000'000'000) continue;
    GPUWHY_RETURN_IF_ERROR(recording->EndSecond());
    ++second;
  }
  recorded.recorder_cpu_s = static_cast<double>(ProcessCpuNs() - cpu_ns) / 1e9;
  const int64_t end_ns = NowNs();
  GPUWHY_RETURN_IF_ERROR(recording->Finish());
  recorded.numbers = process.Numbers();
  recorded.wall_s = static_cast<double>(end_ns - start_ns) / 1e9;
  recorded.attach_ms = static_cast<double>(start_ns - before_ns) / 1e6;
  recorded.detach_ms = static_cast<double>(NowNs() - end_ns) / 1e6;
  return recorded;
}

// The least that a pair of probes can be.
class EmptyPair {
 public:
  explicit EmptyPair(const std::string& library) {
    const auto functions = ReadFunctions(library, {"cudaStreamQuery"});
    if (!functions.ok() || functions.value().empty()) return;
    const ProbePoint point{.file_offset = functions.value().front().file_offset};
    const bpf_insn nothing[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
        {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
    bpf_prog_load_opts options{};
    options.sz = sizeof options;
    options.expected_attach_type = static_cast<bpf_attach_type>(kAttachTypeUprobeMulti);
    program_ = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "empty", "GPL", nothing, 2, &options);
    for (const bool is_return : {true, false})
      links_.push_back(LinkUprobeMulti(program_, library, {&point, 1}, {is_return}));
  }
  ~EmptyPair() {
    for (const int link : links_)
      close(link);
    close(program_);
  }
  EmptyPair(const EmptyPair&) = delete;
  EmptyPair& operator=(const EmptyPair&) = delete;

 private:
  int program_ = -1;
  std::vector<int> links_;
};

double MeasureCalls(const std::string& library) {
  LoadProcess process(
      library, [](const CallRuntime& runtime) { return std::vector<double>{CallNs(runtime)}; });
  process.Begin();
  const auto numbers = process.Numbers();
  return numbers.empty() ? 0 : numbers[0];
}

// Nothing where bpftrace is not installed.
std::optional<double> MeasureUnderBpftrace(const std::string& library, const TempDir& dir) {
  if (access("/usr/bin/bpftrace", X_OK) != 0) return std::nullopt;
  const std::string script = fmt::format(
      "uprobe:{0}:cudaStreamQuery{{@start[tid]=nsecs}} uretprobe:{0}:cudaStreamQuery{{@=hist(nsecs-"
      "@start[tid]); delete(@start[tid])}} interval:ms:200 {{ printf(\"ready\\n\"); }}",
      library);
  const std::string said = dir.File("bpftrace");
  const pid_t tracer = fork();
  if (tracer == 0) {
    static_cast<void>(freopen(said.c_str(), "w", stdout));
    setvbuf(stdout, nullptr, _IONBF, 0);
    execl("/usr/bin/bpftrace", "bpftrace", "-B", "none", "-e", script.c_str(), nullptr);
    _exit(127);
  }
  std::string text;
  for (int turn = 0; turn < 300 && text.find("ready") == std::string::npos; ++turn) {
    poll(nullptr, 0, 100);
    if (waitpid(tracer, nullptr, WNOHANG) == tracer) return std::nullopt;
    std::ifstream file(said);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  const double call_ns = MeasureCalls(library);
  kill(tracer, SIGINT);
  waitpid(tracer, nullptr, 0);
  if (text.find("ready") == std::string::npos) return std::nullopt;
  return call_ns;
}

void PrintCallCost(const std::string& library, const TempDir& dir) {
  const double bare_ns = MeasureCalls(library);
  double empty_ns = 0;
  {
    const EmptyPair pair(library);
    empty_ns = MeasureCalls(library);
  }
  LoadProcess process(
      library, [](const CallRuntime& runtime) { return std::vector<double>{CallNs(runtime)}; });
  const auto recorded = Record(dir.File("calls.db"), process);
  if (!recorded.ok() || recorded.value().numbers.empty()) return;
  const double ours_ns = recorded.value().numbers[0];
  fmt::print(
      "a call: {:.0f} ns bare, {:.0f} with an empty pair of probes, {:.0f} recorded: ratio "
      "{:.2f} (budget {})\n",
      bare_ns, empty_ns, ours_ns, ours_ns / empty_ns, kBudgetRatio);
  if (const auto peer_ns = MeasureUnderBpftrace(library, dir)) {
    fmt::print("a call under bpftrace: {:.0f} ns, ours {:.2f} of it\n", *peer_ns,
               ours_ns / *peer_ns);
  } else {
    fmt::print("a call under bpftrace: skipped, it is not installed or did not start\n");
  }
}

int64_t LostIn(const TraceDb& db, const std::string& severity) {
  return IntOf(db, "SELECT coalesce(sum(event_count), 0) FROM loss WHERE severity = '" + severity +
                       "' AND name LIKE 'ebpf%'");
}

void PrintLosses(const TraceDb& db) {
  const auto print = [](const Row& row) { fmt::print("  {}: {}\n", row.Text(0), row.Int(1)); };
  static_cast<void>(
      db.Query("SELECT name, event_count FROM loss WHERE event_count > 0", {}, print).ok());
}

void PrintRecorderCost(const std::string& library, const TempDir& dir) {
  LoadProcess process(library, [](const CallRuntime& runtime) {
    return MakeEvents(runtime, {.calls_per_s = 20e3, .switches_per_s = 50e3, .faults_per_s = -1},
                      8);
  });
  const auto recorded = Record(dir.File("rates.db"), process);
  const auto db = TraceDb::OpenReadOnly(dir.File("rates.db"));
  if (!recorded.ok() || !db.ok() || recorded.value().numbers.size() < 4) return;
  const auto& [numbers, cpu_s, wall_s, attach_ms, detach_ms] = recorded.value();
  const double cpu_pct = 100 * cpu_s / wall_s;
  fmt::print(
      "{:.0f} calls/s and {:.0f} switches/s: the recorder takes {:.1f} % of a core (budget "
      "{} %), {} rows lost\n",
      numbers[0] / numbers[3], numbers[1] / numbers[3], cpu_pct, kBudgetCpuPct,
      LostIn(db.value(), "data_loss"));
  PrintLosses(db.value());
}

void PrintHighestRate(const std::string& library, const TempDir& dir) {
  LoadProcess process(library,
                      [](const CallRuntime& runtime) { return MakeEvents(runtime, {}, 5); });
  const auto recorded = Record(dir.File("highest.db"), process);
  const auto db = TraceDb::OpenReadOnly(dir.File("highest.db"));
  if (!recorded.ok() || !db.ok() || recorded.value().numbers.size() < 4) return;
  const std::vector<double>& numbers = recorded.value().numbers;
  const int64_t events = IntOf(db.value(), "SELECT sum(event_count) FROM latency");
  const int64_t stored = IntOf(db.value(), "SELECT sum(stored_count) FROM latency");
  const int64_t rows = IntOf(
      db.value(),
      "SELECT (SELECT count(*) FROM api_call) + (SELECT count(*) FROM off_cpu) + (SELECT count(*) "
      "FROM host_event)");
  const int64_t calls =
      IntOf(db.value(), "SELECT sum(event_count) FROM latency WHERE source = 'api_call'");
  fmt::print(
      "as fast as it goes: {:.0f} events/s ({:.0f} calls, {:.0f} switches, {:.0f} faults), "
      "recorder {:.0f} % of a core\n",
      static_cast<double>(events) / numbers[3], numbers[0] / numbers[3], numbers[1] / numbers[3],
      numbers[2] / numbers[3], 100 * recorded.value().recorder_cpu_s / recorded.value().wall_s);
  fmt::print("  calls made {:.0f}, counted {}; rows counted {}, stored {}\n", numbers[0], calls,
             stored, rows);
  PrintLosses(db.value());
}

void PrintRowSize(const std::string& library, const TempDir& dir, const char* table,
                  const Rates& rates) {
  LoadProcess process(library,
                      [&](const CallRuntime& runtime) { return MakeEvents(runtime, rates, 5); });
  RecordingOptions options;
  options.probes.off_cpu_row_min_ns = 0;
  options.probes.sample_hz = 0;
  const std::string path = dir.File(std::string(table) + ".db");
  if (!Record(path, process, options).ok()) return;
  const auto db = TraceDb::OpenReadOnly(path);
  if (!db.ok()) return;
  const auto rows =
      static_cast<double>(IntOf(db.value(), fmt::format("SELECT count(*) FROM {}", table)));
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  const auto others = static_cast<double>(
      IntOf(db.value(), "SELECT (SELECT count(*) FROM api_call) + (SELECT count(*) FROM off_cpu)"));
  fmt::print(
      "{}: {:.1f} bytes a row of {:.0f}, with indexes (budget {}); {:.0f} % of the rows are "
      "of this table\n",
      table, bytes / rows, rows, kBudgetRowBytes, 100 * rows / others);
}

void PrintAttachTime(const std::string& library, const TempDir& dir) {
  for (const bool is_multi : {true, false}) {
    LoadProcess process(library, [](const CallRuntime&) { return std::vector<double>{}; });
    RecordingOptions options;
    options.probes.uses_uprobe_multi = is_multi;
    const auto recorded = Record(dir.File(fmt::format("attach{}.db", is_multi)), process, options);
    if (!recorded.ok()) continue;
    fmt::print(
        "{} probes of {}: from start to attached {:.0f} ms, to detach and finish {:.0f} ms\n",
        is_multi ? "multi" : "single", std::filesystem::path(library).filename().string(),
        recorded.value().attach_ms, recorded.value().detach_ms);
  }
}

// Steps a second of the training loop, as it says itself.
double StepsOf(const std::string& said) {
  std::ifstream file(said);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  constexpr std::string_view kLabel = "steps_per_second=";
  const size_t at = text.find(kLabel);
  double steps = 0;
  if (at != std::string::npos) {
    std::from_chars(text.data() + at + kLabel.size(), text.data() + text.size(), steps);
  }
  return steps;
}

LoadProcess::Body TrainingLoop(const std::string& program, const std::string& said) {
  return [=](const CallRuntime&) {
    static_cast<void>(freopen(said.c_str(), "w", stdout));
    execl(program.c_str(), program.c_str(), "--steps", "400", "--kernels-per-step", "50",
          "--kernel-us", "20", "--workers", "1", nullptr);
    return std::vector<double>{};
  };
}

// The best of some rounds of each, in turn: others use the machine too.
void PrintSlowdown(const std::string& library, const std::string& program, const TempDir& dir) {
  constexpr int kRounds = 3;
  const std::string said = dir.File("steps");
  double bare = 0;
  double recorded = 0;
  for (int round = 0; round < kRounds; ++round) {
    LoadProcess alone(library, TrainingLoop(program, said));
    alone.Begin();
    static_cast<void>(alone.Numbers());
    bare = std::max(bare, StepsOf(said));
    LoadProcess watched(library, TrainingLoop(program, said));
    if (!Record(dir.File(fmt::format("loop{}.db", round)), watched).ok()) return;
    recorded = std::max(recorded, StepsOf(said));
  }
  fmt::print("training_loop: {:.1f} steps/s, recorded {:.1f}: {:.1f} % slower\n", bare, recorded,
             100 * (1 - recorded / bare));
}

int Run(const std::string& folder) {
  setvbuf(stdout, nullptr, _IONBF, 0);  // what is buffered would be printed by each fork
  const TempDir dir;
  const std::string odd = folder + "/tests/libodd_runtime.so";
  const std::string library = dir.File("libcudart.so.12");
  std::error_code failure;
  std::filesystem::copy_file(odd, library, failure);
  if (const auto probes = KernelProbes::Start({}); !probes.ok() || failure) {
    fmt::print("skipped: {}\n", failure ? failure.message() : probes.error().message);
    return 0;
  }
  PrintCallCost(library, dir);
  PrintRecorderCost(library, dir);
  PrintHighestRate(library, dir);
  PrintRowSize(library, dir, "api_call",
               {.calls_per_s = 0, .switches_per_s = -1, .faults_per_s = -1});
  PrintRowSize(library, dir, "off_cpu",
               {.calls_per_s = -1, .switches_per_s = 0, .faults_per_s = -1});
  PrintAttachTime(library, dir);
  PrintAttachTime(folder + "/simgpu/libcudart.so.12", dir);
  PrintSlowdown(library, folder + "/simgpu/training_loop", dir);
  return 0;
}

}  // namespace
}  // namespace gpuwhy::bench

int main(int argc, char** argv) {
  const std::filesystem::path here = std::filesystem::path(argv[0]).parent_path();
  return gpuwhy::bench::Run(argc > 1 ? argv[1] : (here / "../..").lexically_normal().string());
}
