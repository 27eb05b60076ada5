// SPDX-License-Identifier: Apache-2.0
// One ELF file, read through libelf without mapping it: a file that shrinks meanwhile gives an
// error and no SIGBUS. Files are hostile: a damaged or cut one is refused with one sentence. The
// descriptor stays the caller's. One thread at a time.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

// A PT_LOAD program header: which bytes of the file go to which addresses.
struct ElfSegment {
  uint64_t address = 0;
  uint64_t file_offset = 0;
  uint64_t size_bytes = 0;  // in the file
  bool is_executable = false;
};

// Where the loader puts the bytes of a file. Addresses are those the file was linked for.
class ElfLayout {
 public:
  void Add(const ElfSegment& segment);  // executable ones are asked first
  std::optional<uint64_t> FileOffsetOf(uint64_t address) const;
  std::optional<uint64_t> AddressOf(uint64_t file_offset) const;
  bool empty() const { return segments_.empty(); }

 private:
  std::vector<ElfSegment> segments_;
};

class ElfFile {
 public:
  // `fd` must stay open as long as this object; `name` is for messages.
  static Result<ElfFile> Read(int fd, std::string name);

  const ElfLayout& layout() const { return layout_; }
  const std::string& name() const { return name_; }
  Elf* handle() const { return elf_.get(); }
  // Lower-case hexadecimal digits; "" when the file has none.
  std::string BuildId() const;

 private:
  struct End {
    void operator()(Elf* elf) const { elf_end(elf); }
  };

  ElfFile(Elf* elf, std::string name) : elf_(elf), name_(std::move(name)) {}
  Status CheckSections(uint64_t file_bytes) const;
  Status ReadLayout(uint64_t file_bytes);
  Error Damaged(const std::string& what) const;

  std::unique_ptr<Elf, End> elf_;
  std::string name_;
  ElfLayout layout_;
};

// For messages: what libelf said last.
std::string LastElfError();

}  // namespace gpuwhy
