// SPDX-License-Identifier: Apache-2.0
// The programs in the kernel and their maps, from loading to detaching. Owns every file descriptor,
// link and map; the destructor detaches all. One thread. It moves bytes: what the events mean is
// told by EventDecoder. Programs whose tracepoint this kernel lacks are left out and listed.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectors/ebpf/probe_group.h"
#include "collectors/ebpf/python_wire.h"
#include "collectors/ebpf/roll_up_maps.h"
#include "collectors/ebpf/wire.h"
#include "schema/base/result.h"

struct bpf_program;

namespace gpuwhy {

struct ProbeSettings {
  bool enrols_gpu_users = true;      // a process becomes a target by its first GPU call
  int64_t clock_offset_ns = 0;       // Unix time minus CLOCK_MONOTONIC
  uint64_t ring_bytes = 16U << 20U;  // power of two
  uint64_t off_cpu_row_min_ns = 10'000;
  uint64_t lock_row_min_ns = 20'000;
  uint64_t stack_min_ns = 1'000'000;  // calls of this length get their user stack
  uint64_t rows_per_cpu_second = 100'000;
  uint64_t cgroup_id = 0;  // inode of a cgroup's directory: what moves into it is enrolled
  std::string comm;        // what executes under this name is enrolled; at most 15 characters
  bool uses_uprobe_multi = true;    // where the kernel has it (6.6); else one perf event a probe
  bool uses_block_io_start = true;  // where the kernel has it (6.5); else block_rq_insert
  unsigned sample_hz = 49;          // 0: no stack samples
};

// One place to probe: a file offset and the number under which it is reported.
struct ProbePoint {
  uint64_t file_offset = 0;
  uint16_t function_id = 0;
  ProbeGroup group = ProbeGroup::kEssential;
};

// What the kernel measured of our programs since they were loaded, while it was asked to measure.
struct ProgramCost {
  uint64_t run_time_ns = 0;
  uint64_t run_count = 0;
};

struct TracepointState {
  std::string name;
  bool is_there = false;  // in a form that our program can read
};

class KernelProbes {
 public:
  // The tracepoints that are used, looked up in this kernel's type information. Needs no privilege.
  static Result<std::vector<TracepointState>> ListTracepoints();

  // Loads and attaches everything but the probes of libraries.
  static Result<std::unique_ptr<KernelProbes>> Start(const ProbeSettings& settings);
  ~KernelProbes();
  KernelProbes(const KernelProbes&) = delete;
  KernelProbes& operator=(const KernelProbes&) = delete;

  const std::vector<std::string>& absent() const { return absent_; }

  Status SetFunction(uint16_t function_id, const FunctionSpec& arguments);
  // Entry and return of every point, for all processes that map the file; those of group kOwn for
  // this process only. Points of a group that was shed are left out.
  Status AttachLibrary(const std::string& path, std::span<const ProbePoint> points);
  // The function that a dynamic loader calls when libraries have come or gone.
  Status AttachLoader(const std::string& path, uint64_t file_offset);
  Status Enrol(pid_t tgid);
  void Dismiss(pid_t tgid);
  std::vector<pid_t> Targets() const;

  // Waits until rows are there or the time is over, then hands over all that there are.
  using OnEvent = std::function<void(const EventHeader& header, size_t size_bytes)>;
  Status Read(std::chrono::milliseconds longest_wait, const OnEvent& on_event);

  // All roll-ups since the last call, each complete.
  Status TakeRollUps(const OnRollUp& on_roll_up);

  std::array<uint64_t, kLossCount> Losses() const;
  bool ReadStack(uint64_t key, StackValue& value) const;
  bool ReadOther(uint32_t tid, OtherThread& other) const;
  // Where CPython is in a process; forks inherit it, exec forgets it.
  Status SetPython(pid_t tgid, const PythonProcess& python) const;
  void ForgetPython(pid_t tgid) const;
  bool ReadPythonStack(uint64_t key, PythonStack& value) const;
  bool ReadPythonCode(uint64_t key, PythonCode& value) const;
  // Nanoseconds in softirqs and in interrupts since the start, one pair a CPU.
  std::vector<std::pair<uint64_t, uint64_t>> InterruptTimes() const;

  // To cost less: takes off the probes of a group for good, slows sampling, keeps no stacks of
  // waits, sends no rows of short waits. Roll-ups of what is still probed stay exact.
  void Shed(ProbeGroup group);
  void SetSampleHz(unsigned hz) const;
  void ShedOffCpuStacks() const;
  void ShedOffCpuRowsBelow(uint64_t floor_ns) const;
  unsigned sample_hz() const { return sample_hz_; }

  // Of the program of this name in the BPF sources.
  ProgramCost CostOf(const char* program_name) const;

 private:
  struct Skeleton;
  struct Links;

  KernelProbes();
  Status Load(const ProbeSettings& settings);
  void LeaveOutAbsent(bool prefers_io_start);
  void ChooseBlockPrograms(bool has_io_start);
  void Configure(const ProbeSettings& settings) const;
  Status AttachTracepoints();
  Status StartSampling(unsigned hz);
  Status AttachGroup(const std::string& path, std::span<const ProbePoint> points);
  Status AttachProbes(const bpf_program* program, const std::string& path,
                      std::span<const ProbePoint> points, bool is_return);
  Status AttachSingly(const bpf_program* program, const std::string& path, const ProbePoint& point,
                      bool is_return);
  static int OnRingEvent(void* self, void* bytes, size_t size_bytes);

  std::unique_ptr<Skeleton> skeleton_;
  std::unique_ptr<Links> links_;  // gone before the programs
  std::vector<std::string> absent_;
  const OnEvent* on_event_ = nullptr;  // during Read
  std::unique_ptr<RollUpMaps> roll_ups_;
  int cpu_count_ = 1;
  bool uses_uprobe_multi_ = true;
  unsigned sample_hz_ = 0;
  std::array<bool, kProbeGroupCount> is_shed_{};
};

}  // namespace gpuwhy
