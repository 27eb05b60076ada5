// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/ebpf_load.h"

#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <thread>

namespace gpuwhy::bench {
namespace {

constexpr int64_t kSliceNs = 2'000'000;

int64_t ReadClock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// Does `once` at a rate, in slices; counts.
double Repeat(double rate, double seconds, const std::function<void()>& once) {
  if (rate < 0) return 0;
  const int64_t start_ns = NowNs();
  const auto end_ns = start_ns + static_cast<int64_t>(seconds * 1e9);
  int64_t count = 0;
  for (int64_t slice = 1; NowNs() < end_ns; ++slice) {
    const double due = rate == 0 ? static_cast<double>(count) + 1000
                                 : rate * static_cast<double>(NowNs() - start_ns) / 1e9;
    while (static_cast<double>(count) < due) {
      once();
      ++count;
    }
    if (rate == 0) continue;
    const int64_t next_ns = start_ns + slice * kSliceNs;
    const timespec next{next_ns / 1'000'000'000, next_ns % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
  }
  return static_cast<double>(count);
}

void PinToFirstCpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Each turn is two switches.
double PingPong(double switches_per_s, double seconds) {
  if (switches_per_s < 0) return 0;
  int there[2];
  int back[2];
  if (pipe(there) != 0 || pipe(back) != 0) return 0;
  std::thread other([&] {
    PinToFirstCpu();
    for (char byte = 0; read(there[0], &byte, 1) == 1 && byte != 'e';)
      static_cast<void>(write(back[1], &byte, 1));
  });
  PinToFirstCpu();
  const double turns = Repeat(switches_per_s / 2, seconds, [&] {
    char byte = 'x';
    static_cast<void>(write(there[1], &byte, 1));
    static_cast<void>(read(back[0], &byte, 1));
  });
  static_cast<void>(write(there[1], "e", 1));
  other.join();
  return 2 * turns;
}

double TouchMemory(double faults_per_s, double seconds) {
  constexpr size_t kPage = 4096;
  constexpr size_t kPages = 4096;
  auto* memory = static_cast<char*>(
      mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(memory, kPages * kPage, MADV_NOHUGEPAGE);
  size_t page = 0;
  return Repeat(faults_per_s, seconds, [&] {
    if (page == 0) madvise(memory, kPages * kPage, MADV_DONTNEED);
    memory[page * kPage] = 1;
    page = (page + 1) % kPages;
  });
}

}  // namespace

int64_t NowNs() {
  return ReadClock(CLOCK_MONOTONIC);
}
int64_t ThreadCpuNs() {
  return ReadClock(CLOCK_THREAD_CPUTIME_ID);
}
int64_t ProcessCpuNs() {
  return ReadClock(CLOCK_PROCESS_CPUTIME_ID);
}

CallRuntime CallRuntime::Load(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW);
  CallRuntime runtime;
  if (handle == nullptr) _exit(3);
  runtime.stream_query =
      reinterpret_cast<decltype(runtime.stream_query)>(dlsym(handle, "cudaStreamQuery"));
  return runtime;
}

LoadProcess::LoadProcess(const std::string& library, const Body& body) {
  int go[2];
  int numbers[2];
  if (pipe(go) != 0 || pipe(numbers) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    const CallRuntime runtime = CallRuntime::Load(library);
    char byte = 0;
    if (read(go[0], &byte, 1) != 1) _exit(1);
    const std::vector<double> result = body(runtime);
    static_cast<void>(write(numbers[1], result.data(), result.size() * sizeof(double)));
    _exit(0);
  }
  close(go[0]);
  close(numbers[1]);
  go_fd_ = go[1];
  numbers_fd_ = numbers[0];
}

void LoadProcess::Begin() const {
  static_cast<void>(write(go_fd_, "g", 1));
}

bool LoadProcess::HasEnded() const {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG);
  return info.si_pid == pid_;
}

std::vector<double> LoadProcess::Numbers() {
  std::vector<double> numbers;
  for (double number = 0; read(numbers_fd_, &number, sizeof number) == sizeof number;)
    numbers.push_back(number);
  waitpid(pid_, nullptr, 0);
  close(numbers_fd_);
  close(go_fd_);
  return numbers;
}

double CallNs(const CallRuntime& runtime) {
  constexpr int kRounds = 40;
  constexpr int kCalls = 2000;
  double least = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    const int64_t start_ns = ThreadCpuNs();
    for (int i = 0; i < kCalls; ++i)
      runtime.stream_query(nullptr);
    least = std::min(least, static_cast<double>(ThreadCpuNs() - start_ns) / kCalls);
  }
  return least;
}

std::vector<double> MakeEvents(const CallRuntime& runtime, const Rates& wanted, double seconds) {
  double calls = 0;
  double switches = 0;
  double faults = 0;
  const int64_t start_ns = NowNs();
  std::thread caller(
      [&] { calls = Repeat(wanted.calls_per_s, seconds, [&] { runtime.stream_query(nullptr); }); });
  std::thread switcher([&] { switches = PingPong(wanted.switches_per_s, seconds); });
  std::thread toucher([&] { faults = TouchMemory(wanted.faults_per_s, seconds); });
  caller.join();
  switcher.join();
  toucher.join();
  return {calls, switches, faults, static_cast<double>(NowNs() - start_ns) / 1e9};
}

}  // namespace gpuwhy::bench
