// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <span>

namespace gpuwhy {
namespace {

bool IsWithin(uint64_t start, uint64_t size, uint64_t limit) {
  return start <= limit && size <= limit - start;
}

Result<uint64_t> SizeOf(int fd, const std::string& name) {
  struct stat state {};
  if (fstat(fd, &state) == 0) return static_cast<uint64_t>(state.st_size);
  return Unavailable(fmt::format("cannot look at {}: {}", name, std::strerror(errno)));
}

}  // namespace

std::string LastElfError() {
  const char* text = elf_errmsg(-1);
  return text == nullptr ? "unknown error" : text;
}

void ElfLayout::Add(const ElfSegment& segment) {
  segments_.insert(segment.is_executable ? segments_.begin() : segments_.end(), segment);
}

std::optional<uint64_t> ElfLayout::FileOffsetOf(uint64_t address) const {
  for (const ElfSegment& segment : segments_) {
    const uint64_t distance = address - segment.address;
    if (address >= segment.address && distance < segment.size_bytes) {
      return segment.file_offset + distance;
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> ElfLayout::AddressOf(uint64_t file_offset) const {
  for (const ElfSegment& segment : segments_) {
    const uint64_t distance = file_offset - segment.file_offset;
    if (file_offset >= segment.file_offset && distance < segment.size_bytes) {
      return segment.address + distance;
    }
  }
  return std::nullopt;
}

Error ElfFile::Damaged(const std::string& what) const {
  return CorruptInput(fmt::format("cannot read symbols of {}: {}", name_, what));
}

Result<ElfFile> ElfFile::Read(int fd, std::string name) {
  elf_version(EV_CURRENT);
  GPUWHY_ASSIGN_OR_RETURN(const uint64_t file_bytes, SizeOf(fd, name));
  ElfFile file(elf_begin(fd, ELF_C_READ, nullptr), std::move(name));
  if (!file.elf_) return file.Damaged(LastElfError());
  if (elf_kind(file.handle()) != ELF_K_ELF) return file.Damaged("it is no ELF file");
  GPUWHY_RETURN_IF_ERROR(file.CheckSections(file_bytes));
  GPUWHY_RETURN_IF_ERROR(file.ReadLayout(file_bytes));
  return file;
}

// libelf takes a file whose section table lies behind its end for one without sections.
Status ElfFile::CheckSections(uint64_t file_bytes) const {
  GElf_Ehdr header;
  if (gelf_getehdr(handle(), &header) == nullptr) return Damaged(LastElfError());
  if (header.e_shoff == 0) return {};
  size_t count = 0;
  if (elf_getshdrnum(handle(), &count) != 0) return Damaged(LastElfError());
  const size_t entry_bytes = gelf_fsize(handle(), ELF_T_SHDR, 1, EV_CURRENT);
  if (header.e_shentsize != entry_bytes) return Damaged("its section table is damaged");
  const uint64_t table_bytes = std::max<uint64_t>(count, header.e_shnum) * entry_bytes;
  if (!IsWithin(header.e_shoff, std::max(table_bytes, entry_bytes), file_bytes)) {
    return Damaged("its end with the section table is missing");
  }
  return {};
}

Status ElfFile::ReadLayout(uint64_t file_bytes) {
  size_t count = 0;
  if (elf_getphdrnum(handle(), &count) != 0) return Damaged(LastElfError());
  for (size_t at = 0; at < count; ++at) {
    GElf_Phdr header;
    if (gelf_getphdr(handle(), static_cast<int>(at), &header) == nullptr) {
      return Damaged(LastElfError());
    }
    if (header.p_type != PT_LOAD) continue;
    if (!IsWithin(header.p_offset, header.p_filesz, file_bytes)) {
      return Damaged("a part that is loaded lies behind its end");
    }
    layout_.Add({header.p_vaddr, header.p_offset, header.p_filesz, (header.p_flags & PF_X) != 0});
  }
  return layout_.empty() ? Status(Damaged("it has nothing to load")) : Status();
}

std::string ElfFile::BuildId() const {
  const void* bytes = nullptr;
  const ssize_t count = dwelf_elf_gnu_build_id(handle(), &bytes);
  std::string text;
  if (count <= 0) return text;
  for (const uint8_t byte :
       std::span(static_cast<const uint8_t*>(bytes), static_cast<size_t>(count))) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

}  // namespace gpuwhy
