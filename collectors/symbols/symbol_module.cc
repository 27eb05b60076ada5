// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/symbol_module.h"

#include <fmt/format.h>

#include "collectors/demangle.h"

namespace gpuwhy {

void SymbolModule::Attach(UniqueFd fd) {
  fd_ = std::move(fd);
  problem_.clear();
}

Frame SymbolModule::Resolve(uint64_t file_offset, bool with_source_line) {
  Load();
  const uint64_t address = layout_.AddressOf(file_offset).value_or(file_offset);
  Frame frame{.function = fmt::format("{}+0x{:x}", name_, address),
              .module = name_,
              .offset_bytes = address};
  const std::optional<SymbolHit> hit = table_.Find(address);
  const std::string name = hit ? ReadName(fd_.get(), hit->name_file_offset) : std::string();
  if (!name.empty()) {
    frame.function = Demangle(name);
    frame.offset_bytes = address - hit->start_address;
    frame.is_known = true;
  }
  if (with_source_line) AddSourceLine(address, frame);
  return frame;
}

void SymbolModule::Load() {
  if (is_loaded_ || !fd_.ok()) return;
  is_loaded_ = true;
  const Status status = ReadTable();
  if (!status.ok()) problem_ = status.error().message;
}

Status SymbolModule::ReadTable() {
  GPUWHY_ASSIGN_OR_RETURN(const ElfFile elf, ElfFile::Read(fd_.get(), name_));
  layout_ = elf.layout();
  GPUWHY_ASSIGN_OR_RETURN(table_, SymbolTable::Load(elf));
  if (table_.skipped_count() > 0) {
    problem_ = fmt::format("{} functions of {} have no name that can be read",
                           table_.skipped_count(), name_);
  }
  return {};
}

void SymbolModule::AddSourceLine(uint64_t address, Frame& frame) {
  if (!lines_) {
    Result<ElfFile> elf = ElfFile::Read(fd_.get(), name_);
    if (!elf.ok()) return;  // ReadTable has said it
    lines_.emplace(std::move(elf).value());
    if (lines_->is_too_large() && problem_.empty()) {
      problem_ = fmt::format("{} has too much debug information to look for source lines", name_);
    }
  }
  const std::optional<SourceLine> line = lines_->Find(address);
  if (!line) return;
  frame.source_file = line->file;
  frame.source_line = line->line;
}

}  // namespace gpuwhy
