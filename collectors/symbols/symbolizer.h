// SPDX-License-Identifier: Apache-2.0
// Turns addresses of call stacks into frames, also of processes that have ended: RememberProcess
// while they live, and again when a library was loaded or the program replaced (exec). Holds one
// open file for each distinct file with code: raise RLIMIT_NOFILE before. Symbols are read at the
// first question about a file. One thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/process/proc_maps.h"
#include "collectors/symbols/address_space.h"
#include "collectors/symbols/frame.h"
#include "collectors/symbols/kernel_symbols.h"
#include "collectors/symbols/perf_map.h"
#include "schema/base/result.h"

namespace gpuwhy {

struct SymbolizerOptions {
  // From DWARF in the file itself; keeps the debug sections in memory that are asked for. Leave it
  // off for programs of users that are not trusted: see SourceLines.
  bool with_source_lines = false;
};

class Symbolizer {
 public:
  explicit Symbolizer(const SymbolizerOptions& options = {}) : options_(options) {}

  // Takes what is mapped now. A pid that was given to another process since is that process from
  // now on; what was known of the one before is dropped.
  Status RememberProcess(pid_t pid);
  // Closes the files that no other process has mapped.
  void ForgetProcess(pid_t pid);

  Frame ResolveUser(pid_t pid, uint64_t address);
  Frame ResolveKernel(uint64_t address);
  // Whether the address was code when the process was remembered.
  bool HasCode(pid_t pid, uint64_t address) const;

  // What could not be read, one sentence each: files that could not be opened or are damaged, lines
  // of maps of an unknown form, a kernel that hides its addresses.
  std::vector<std::string> Problems() const;
  uint64_t memory_bytes() const;  // of symbol tables
  size_t module_count() const { return modules_.size(); }

 private:
  struct Process {
    int64_t start_ns = 0;
    AddressSpace code;
    std::optional<PerfMap> perf_map;
  };
  using Module = std::shared_ptr<SymbolModule>;

  void PutMapping(pid_t pid, const Mapping& mapping, Process& process);
  Module ModuleOf(pid_t pid, const Mapping& mapping);
  Module FileModule(pid_t pid, const Mapping& mapping);
  Module Vdso(const Mapping& mapping);
  void LoadKernel();

  SymbolizerOptions options_;
  std::unordered_map<pid_t, Process> processes_;
  std::map<FileId, Module> modules_;  // an inode is not given to another file while it is open
  Module vdso_;
  std::optional<KernelSymbols> kernel_;
  std::string kernel_problem_;
  int64_t skipped_line_count_ = 0;
};

}  // namespace gpuwhy
