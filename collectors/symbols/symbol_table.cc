// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/symbol_table.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace gpuwhy {
namespace {

constexpr uint32_t kMaxSizeBytes = UINT32_MAX;
// How many functions before the nearest may enclose an address: parts of a function have symbols of
// their own ("memcpy" around "__memcpy_end").
constexpr int kMaxEnclosing = 16;
constexpr size_t kNameChunkBytes = 1024;
constexpr size_t kMaxNameChunks = 32;

struct Candidate {
  uint64_t address = 0;
  uint64_t name_file_offset = 0;
  uint32_t size_bytes = 0;
  uint8_t rank = 0;  // of several names for one address the lowest is taken
};

// As perf chooses: known size, global before weak before local, few leading underscores.
uint8_t RankOf(const SymbolEntry& entry) {
  const int unsized = entry.size_bytes == 0 ? 1 : 0;
  int binding = 2;
  if (entry.binding == STB_GLOBAL) binding = 0;
  if (entry.binding == STB_WEAK) binding = 1;
  const size_t underscores = std::min(entry.name.find_first_not_of('_'), entry.name.size());
  return static_cast<uint8_t>(unsized * 64 + binding * 16 +
                              static_cast<int>(std::min<size_t>(underscores, 15)));
}

Candidate CandidateOf(const SymbolEntry& entry) {
  const auto size = static_cast<uint32_t>(std::min<uint64_t>(entry.size_bytes, kMaxSizeBytes));
  return {entry.address, entry.name_file_offset, size, RankOf(entry)};
}

void SortAndDropAliases(std::vector<Candidate>& all) {
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    if (a.address != b.address) return a.address < b.address;
    return a.rank != b.rank ? a.rank < b.rank : a.name_file_offset < b.name_file_offset;
  });
  const auto is_alias = [](const Candidate& a, const Candidate& b) {
    return a.address == b.address;
  };
  all.erase(std::unique(all.begin(), all.end(), is_alias), all.end());
}

}  // namespace

Result<SymbolTable> SymbolTable::Load(const ElfFile& elf) {
  SymbolTable table;
  std::vector<Candidate> all;
  GPUWHY_ASSIGN_OR_RETURN(table.skipped_count_, VisitFunctions(elf, [&](const SymbolEntry& entry) {
                            all.push_back(CandidateOf(entry));
                          }));
  SortAndDropAliases(all);
  const auto first = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.name_file_offset < b.name_file_offset;
  });
  if (first != all.end()) table.names_start_ = first->name_file_offset;
  table.entries_.reserve(all.size());
  for (const Candidate& one : all) {
    const uint64_t name = one.name_file_offset - table.names_start_;
    if (name <= UINT32_MAX) {
      table.entries_.push_back({one.address, one.size_bytes, static_cast<uint32_t>(name)});
    } else {
      ++table.skipped_count_;
    }
  }
  return table;
}

std::optional<SymbolHit> SymbolTable::Find(uint64_t address) const {
  auto next = std::upper_bound(entries_.begin(), entries_.end(), address,
                               [](uint64_t a, const Entry& entry) { return a < entry.address; });
  for (int step = 0; step < kMaxEnclosing && next != entries_.begin(); ++step) {
    const Entry& entry = *--next;
    // Without a size a function reaches up to the next one only.
    const bool is_within =
        entry.size_bytes == 0 ? step == 0 : address - entry.address < entry.size_bytes;
    if (is_within) return SymbolHit{entry.address, names_start_ + entry.name};
  }
  return std::nullopt;
}

std::string ReadName(int fd, uint64_t file_offset) {
  std::string name;
  std::array<char, kNameChunkBytes> chunk;
  for (size_t at = 0; at < kMaxNameChunks; ++at) {
    const ssize_t count =
        pread(fd, chunk.data(), chunk.size(), static_cast<off_t>(file_offset + name.size()));
    if (count <= 0) return {};
    const std::string_view text(chunk.data(), static_cast<size_t>(count));
    name += text.substr(0, text.find('\0'));
    if (text.find('\0') != std::string_view::npos) return std::string(WithoutVersion(name));
  }
  return {};
}

}  // namespace gpuwhy
