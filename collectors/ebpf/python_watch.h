// SPDX-License-Identifier: Apache-2.0
// Finds CPython in the processes that are recorded and tells the kernel side where it is. A
// process is looked at until it has one: libpython may come late, as a plug-in. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collectors/ebpf/kernel_probes.h"
#include "collectors/ebpf/python_file.h"
#include "collectors/recorder.h"

namespace gpuwhy {

class PythonWatch {
 public:
  PythonWatch(const KernelProbes& probes, Recorder& recorder)
      : probes_(probes), recorder_(recorder) {}

  void Look(const std::vector<pid_t>& pids);
  // The process has ended or runs another program.
  void Forget(pid_t pid);

 private:
  void Look(pid_t pid);
  const std::optional<PythonFile>& FileOf(pid_t pid, const Mapping& mapping);
  void Complain(const std::string& problem);

  const KernelProbes& probes_;
  Recorder& recorder_;
  std::set<pid_t> found_;
  std::map<FileId, std::optional<PythonFile>> files_;
  std::set<std::string> problems_;
};

}  // namespace gpuwhy
