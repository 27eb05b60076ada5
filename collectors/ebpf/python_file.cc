// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/python_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "collectors/ebpf/python_layout.h"
#include "collectors/symbols/elf_symbols.h"

namespace gpuwhy {
namespace {

struct DataAddresses {
  uint64_t runtime = 0;
  uint64_t version = 0;
  uint64_t code_type = 0;
};

Result<DataAddresses> FindData(const ElfFile& elf) {
  DataAddresses data;
  GPUWHY_RETURN_IF_ERROR(VisitObjects(elf, [&data](const SymbolEntry& entry) {
    const std::string_view name = WithoutVersion(entry.name);
    if (name == "_PyRuntime") data.runtime = entry.address;
    if (name == "Py_Version") data.version = entry.address;
    if (name == "PyCode_Type") data.code_type = entry.address;
  }));
  return data;
}

// Words of initialised data, as they are in the file.
template <size_t kCount>
Result<std::array<uint64_t, kCount>> ReadData(const ElfFile& elf, int fd, uint64_t address) {
  std::array<uint64_t, kCount> words{};
  const auto offset = elf.layout().FileOffsetOf(address);
  if (!offset) return CorruptInput("its data is not in the file");
  const ssize_t count = pread(fd, words.data(), sizeof words, static_cast<off_t>(*offset));
  if (count != static_cast<ssize_t>(sizeof words)) return CorruptInput("its data cannot be read");
  return words;
}

Result<PythonProcess> ReadLayout(const ElfFile& elf, int fd, const DataAddresses& data) {
  if (data.version == 0) return Unavailable("it is older than 3.11, which this recorder needs");
  GPUWHY_ASSIGN_OR_RETURN(const auto version, ReadData<1>(elf, fd, data.version));
  std::array<uint64_t, kDebugOffsetWords> words{};
  if (version[0] >= 0x030d0000) {
    GPUWHY_ASSIGN_OR_RETURN(words, ReadData<kDebugOffsetWords>(elf, fd, data.runtime));
  }
  GPUWHY_ASSIGN_OR_RETURN(PythonProcess layout, PythonLayoutOf(version[0], words));
  layout.runtime = data.runtime;
  layout.code_type = data.code_type;
  return layout;
}

}  // namespace

Result<std::optional<PythonFile>> ReadPythonFile(int fd, const std::string& name) {
  GPUWHY_ASSIGN_OR_RETURN(const ElfFile elf, ElfFile::Read(fd, name));
  GPUWHY_ASSIGN_OR_RETURN(const DataAddresses data, FindData(elf));
  if (data.runtime == 0 || data.code_type == 0) return std::optional<PythonFile>();
  GPUWHY_ASSIGN_OR_RETURN(const auto loops, FunctionsOf(elf, {"_PyEval_EvalFrameDefault"}));
  const auto layout = ReadLayout(elf, fd, data);
  if (!layout.ok() || loops.empty()) {
    return Unavailable(fmt::format(
        "no Python frames of {}: {}", name,
        layout.ok() ? "it hides where its interpreter's loop is" : layout.error().message));
  }
  return std::optional<PythonFile>(
      PythonFile{layout.value(), loops.front().address, loops.front().file_offset});
}

std::optional<PythonProcess> PlaceOf(const PythonFile& file, const std::vector<Mapping>& mappings) {
  for (const Mapping& mapping : mappings) {
    const uint64_t distance = file.loop_file_offset - mapping.file_offset;
    const bool is_here = mapping.is_executable && file.loop_file_offset >= mapping.file_offset &&
                         distance < mapping.end - mapping.start;
    if (!is_here) continue;
    const uint64_t bias = mapping.start + distance - file.loop_address;
    PythonProcess python = file.layout;
    python.runtime += bias;
    python.code_type += bias;
    return python;
  }
  return std::nullopt;
}

}  // namespace gpuwhy
