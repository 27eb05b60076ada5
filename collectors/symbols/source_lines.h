// SPDX-License-Identifier: Apache-2.0
// Source file and line of an address, from DWARF in the file itself. Nothing is searched for: no
// separate debug files, no debuginfod. Files whose debug information is very large are left alone,
// so that a look-up stays bounded; `is_too_large` says so. libdw is less careful with hostile files
// than libelf: what is known to hurt it is kept from it, but only for files that are trusted should
// this be used with rights that their owner does not have. One thread at a time.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "collectors/symbols/elf_file.h"

namespace gpuwhy {

struct SourceLine {
  std::string file;
  int64_t line = 0;
};

class SourceLines {
 public:
  // Takes over `elf`, whose descriptor must stay open.
  explicit SourceLines(ElfFile elf);

  std::optional<SourceLine> Find(uint64_t address) const;
  bool is_too_large() const { return is_too_large_; }

 private:
  struct End {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
  };

  ElfFile elf_;  // outlives dwarf_
  std::unique_ptr<Dwarf, End> dwarf_;
  bool is_too_large_ = false;
};

}  // namespace gpuwhy
