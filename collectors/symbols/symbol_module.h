// SPDX-License-Identifier: Apache-2.0
// One file with code, for all the processes that have it mapped. The file is held open from the
// start, so that it can still be read when the processes and its name are gone; its symbols are
// read at the first question. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collectors/process/unique_fd.h"
#include "collectors/symbols/frame.h"
#include "collectors/symbols/source_lines.h"
#include "collectors/symbols/symbol_table.h"

namespace gpuwhy {

class SymbolModule {
 public:
  // Without a file: every frame is unknown, and `problem` says why.
  SymbolModule(std::string name, std::string problem)
      : name_(std::move(name)), problem_(std::move(problem)) {}
  SymbolModule(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  // A file that could not be opened before.
  void Attach(UniqueFd fd);
  bool has_file() const { return fd_.ok(); }

  Frame Resolve(uint64_t file_offset, bool with_source_line);

  const std::string& name() const { return name_; }
  // One sentence when symbols could not be read; else "".
  const std::string& problem() const { return problem_; }
  uint64_t memory_bytes() const { return table_.memory_bytes(); }

 private:
  void Load();
  Status ReadTable();
  void AddSourceLine(uint64_t address, Frame& frame);

  std::string name_;
  std::string problem_;
  UniqueFd fd_;
  bool is_loaded_ = false;
  ElfLayout layout_;
  SymbolTable table_;
  std::optional<SourceLines> lines_;
};

}  // namespace gpuwhy
