// SPDX-License-Identifier: Apache-2.0
// Finds the CUDA runtime, the CUDA driver and NCCL in running processes, by file name or, where
// that does not tell, by symbols (a runtime inside libtorch_cuda.so). A runtime that was linked
// into a stripped program shows nothing: `has_driver_only` then says that only the driver can be
// watched. What a file holds is remembered, so that looking again is cheap. One thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collectors/process/gpu_library_kind.h"
#include "collectors/process/proc_maps.h"
#include "schema/base/result.h"

namespace gpuwhy {

// A file that holds two kinds is there twice.
struct GpuLibrary {
  GpuLibraryKind kind = GpuLibraryKind::kCudaRuntime;
  RecognisedBy recognised_by = RecognisedBy::kFileName;
  FileId file;
  std::string path;       // as the process sees it
  std::string open_path;  // as we can open it now: see MappedFile
};

struct GpuLibraries {
  std::vector<GpuLibrary> libraries;  // by file and kind
  bool has_driver_only = false;
  // Files that could not be opened or are damaged, one sentence each.
  std::vector<std::string> problems;
};

class GpuLibraryFinder {
 public:
  // Remembered files are looked at again: one that changed in place is read anew.
  Result<GpuLibraries> Find(pid_t pid);
  // The same for many, each file looked at once. Processes that have ended are absent, and so are
  // those without any such library in which every file could be read.
  std::map<pid_t, GpuLibraries> FindAll(const std::vector<pid_t>& pids);

  int64_t read_file_count() const { return read_file_count_; }  // whose symbols were read

 private:
  struct Verdict {
    uint64_t size_bytes = 0;
    int64_t changed_ns = 0;
    int64_t scan = 0;  // the last in which the file was looked at
    std::vector<GpuContent> content;
    std::string problem;  // why the file cannot be read
  };

  Result<GpuLibraries> FindInScan(pid_t pid);
  // An error when the file cannot be opened through this process; another may succeed.
  Result<const Verdict*> VerdictOf(pid_t pid, const Mapping& mapping);
  void Read(const Mapping& mapping, int fd, Verdict& verdict);
  static void AddFile(pid_t pid, const Mapping& mapping, const Verdict& verdict,
                      GpuLibraries& found);

  std::map<FileId, Verdict> verdicts_;
  int64_t scan_ = 0;
  int64_t read_file_count_ = 0;
};

}  // namespace gpuwhy
