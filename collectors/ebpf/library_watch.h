// SPDX-License-Identifier: Apache-2.0
// Finds GPU libraries in processes and probes each file once, whoever maps it. Numbers probed
// functions and tells the kernel where their arguments are. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collectors/ebpf/call_rows.h"
#include "collectors/ebpf/functions.h"
#include "collectors/ebpf/kernel_probes.h"
#include "collectors/process/gpu_libraries.h"
#include "collectors/recorder.h"

namespace gpuwhy {

struct ProbedLibrary {
  GpuLibraryKind kind;
  std::string path;  // as the first process that had it sees it
  size_t function_count = 0;
};

class LibraryWatch {
 public:
  LibraryWatch(KernelProbes& probes, CallRows& calls, Recorder& recorder)
      : probes_(probes), calls_(calls), recorder_(recorder) {}

  // Looks at the maps of these processes and probes what is new, their dynamic loaders too: those
  // tell when libraries come. What cannot be probed in several looks is counted as a loss once.
  // `changed_at`: CLOCK_MONOTONIC of when the kernel told of new libraries; what was called between
  // then and the probes is counted as unseen.
  void Look(const std::vector<pid_t>& pids, const std::map<pid_t, int64_t>& changed_at = {});
  const std::vector<ProbedLibrary>& libraries() const { return libraries_; }
  ProbeGroup GroupOf(uint16_t function_id) const { return groups_.at(function_id); }

 private:
  void ProbeLoaderOf(pid_t pid);
  void CountProblems(const std::vector<std::string>& problems);
  void CountLate(const GpuLibrary& library, pid_t pid, int64_t changed_ns);
  Result<size_t> Probe(const GpuLibrary& library);
  Result<uint16_t> NumberOf(const std::string& name, const ProbedFunction& function);

  KernelProbes& probes_;
  CallRows& calls_;
  Recorder& recorder_;
  GpuLibraryFinder finder_;
  std::map<std::pair<FileId, GpuLibraryKind>, int> tries_;  // kTries: probed, or given up
  std::set<FileId> loaders_;
  std::map<std::string, int> problems_;  // how often each was met
  std::map<std::string, uint16_t, std::less<>> numbers_;
  std::vector<ProbeGroup> groups_;  // by number
  std::vector<ProbedLibrary> libraries_;
};

}  // namespace gpuwhy
