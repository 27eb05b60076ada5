// SPDX-License-Identifier: Apache-2.0
// The functions that an ELF file defines, of both .dynsym and .symtab, and where in the file their
// code is: what a uprobe needs. .gnu_debugdata is not read. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/symbols/elf_file.h"
#include "schema/base/result.h"

namespace gpuwhy {

struct ElfFunction {
  std::string name;  // without @VERSION; a name with two versions is there twice
  uint64_t address = 0;
  uint64_t file_offset = 0;
  uint64_t size_bytes = 0;   // 0: the file does not say
  bool is_exported = false;  // in .dynsym

  bool operator==(const ElfFunction&) const = default;
};

// One entry of a symbol table. `name` is valid during the visit only.
struct SymbolEntry {
  std::string_view name;  // as in the file, "@VERSION" included
  uint64_t address = 0;
  uint64_t size_bytes = 0;
  uint64_t name_file_offset = 0;
  uint8_t binding = 0;  // STB_GLOBAL ...
  bool is_exported = false;
};

std::string_view WithoutVersion(std::string_view name);

// Entries whose name lies outside of the name table are skipped; returns how many.
Result<int64_t> VisitFunctions(const ElfFile& elf,
                               const std::function<void(const SymbolEntry&)>& visit);
// The same for data.
Result<int64_t> VisitObjects(const ElfFile& elf,
                             const std::function<void(const SymbolEntry&)>& visit);

// Those of these names, or all for no names, by file offset and name; each once.
Result<std::vector<ElfFunction>> ReadFunctions(const std::string& path,
                                               const std::vector<std::string>& names = {});
// Functions whose code is not in the file are left out.
Result<std::vector<ElfFunction>> FunctionsOf(const ElfFile& elf,
                                             const std::vector<std::string>& names = {});

}  // namespace gpuwhy
