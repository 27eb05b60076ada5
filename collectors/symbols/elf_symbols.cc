// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/elf_symbols.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "collectors/process/unique_fd.h"

namespace gpuwhy {
namespace {

constexpr size_t kMaxNameBytes = 1 << 15;

struct SymbolSection {
  Elf_Data* symbols = nullptr;
  std::string_view names;
  uint64_t names_file_offset = 0;
  bool is_exported = false;
};

Error BadTable(const ElfFile& elf) {
  return CorruptInput(fmt::format("cannot read symbols of {}: its symbol table is damaged ({})",
                                  elf.name(), LastElfError()));
}

std::optional<SymbolSection> OpenSection(const ElfFile& elf, Elf_Scn* section,
                                         const GElf_Shdr& header) {
  Elf_Scn* names = elf_getscn(elf.handle(), header.sh_link);
  GElf_Shdr names_header;
  if (names == nullptr || gelf_getshdr(names, &names_header) == nullptr) return std::nullopt;
  Elf_Data* symbols = elf_getdata(section, nullptr);
  const Elf_Data* text = elf_getdata(names, nullptr);
  if (symbols == nullptr || text == nullptr) return std::nullopt;
  const bool has_content = symbols->d_buf != nullptr && text->d_buf != nullptr;
  if (symbols->d_size > 0 && !has_content) return std::nullopt;
  return SymbolSection{symbols,
                       {static_cast<const char*>(text->d_buf), text->d_size},
                       names_header.sh_offset,
                       header.sh_type == SHT_DYNSYM};
}

bool IsFunction(const GElf_Sym& symbol) {
  const auto type = GELF_ST_TYPE(symbol.st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF;
}

bool IsObject(const GElf_Sym& symbol) {
  return GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF;
}

struct Visit {
  bool (*is_wanted)(const GElf_Sym& symbol);
  const std::function<void(const SymbolEntry&)>& entry;
};

// A name without an end counts as lying outside; so does one of absurd length, as a million symbols
// may share it.
std::optional<std::string_view> NameAt(std::string_view names, size_t at) {
  if (at >= names.size()) return std::nullopt;
  const std::string_view rest = names.substr(at, kMaxNameBytes);
  const size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

int64_t VisitSection(const SymbolSection& section, size_t entry_bytes, const Visit& visit) {
  int64_t skipped_count = 0;
  const int count =
      static_cast<int>(std::min<size_t>(section.symbols->d_size / entry_bytes, INT32_MAX));
  for (int at = 0; at < count; ++at) {
    GElf_Sym symbol;
    if (gelf_getsym(section.symbols, at, &symbol) == nullptr) return skipped_count + count - at;
    if (!visit.is_wanted(symbol)) continue;
    const auto name = NameAt(section.names, symbol.st_name);
    if (!name) ++skipped_count;
    if (!name || name->empty()) continue;
    visit.entry({*name, symbol.st_value, symbol.st_size, section.names_file_offset + symbol.st_name,
                 static_cast<uint8_t>(GELF_ST_BIND(symbol.st_info)), section.is_exported});
  }
  return skipped_count;
}

bool ByPlace(const ElfFunction& a, const ElfFunction& b) {
  return std::tie(a.file_offset, a.name, b.is_exported) <
         std::tie(b.file_offset, b.name, a.is_exported);
}

Result<int64_t> VisitSymbols(const ElfFile& elf, const Visit& visit) {
  int64_t skipped_count = 0;
  const size_t entry_bytes = gelf_fsize(elf.handle(), ELF_T_SYM, 1, EV_CURRENT);
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.handle(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) return BadTable(elf);
    if (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) continue;
    const std::optional<SymbolSection> opened = OpenSection(elf, section, header);
    if (!opened) return BadTable(elf);
    skipped_count += VisitSection(*opened, entry_bytes, visit);
  }
  return skipped_count;
}

}  // namespace

std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.find('@');
  return at == 0 ? name : name.substr(0, at);
}

Result<int64_t> VisitFunctions(const ElfFile& elf,
                               const std::function<void(const SymbolEntry&)>& visit) {
  return VisitSymbols(elf, {&IsFunction, visit});
}

Result<int64_t> VisitObjects(const ElfFile& elf,
                             const std::function<void(const SymbolEntry&)>& visit) {
  return VisitSymbols(elf, {&IsObject, visit});
}

Result<std::vector<ElfFunction>> FunctionsOf(const ElfFile& elf,
                                             const std::vector<std::string>& names) {
  const std::unordered_set<std::string_view> wanted(names.begin(), names.end());
  std::vector<ElfFunction> found;
  const auto add = [&](const SymbolEntry& entry) {
    const std::string_view name = WithoutVersion(entry.name);
    if (!wanted.empty() && !wanted.contains(name)) return;
    const auto offset = elf.layout().FileOffsetOf(entry.address);
    if (!offset) return;
    found.push_back(
        {std::string(name), entry.address, *offset, entry.size_bytes, entry.is_exported});
  };
  GPUWHY_RETURN_IF_ERROR(VisitFunctions(elf, add));
  std::sort(found.begin(), found.end(), ByPlace);
  const auto is_same = [](const ElfFunction& a, const ElfFunction& b) {
    return a.file_offset == b.file_offset && a.name == b.name;
  };
  found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
  return found;
}

Result<std::vector<ElfFunction>> ReadFunctions(const std::string& path,
                                               const std::vector<std::string>& names) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd.ok()) {
    return NotFound(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  GPUWHY_ASSIGN_OR_RETURN(const ElfFile elf, ElfFile::Read(fd.get(), path));
  return FunctionsOf(elf, names);
}

}  // namespace gpuwhy
