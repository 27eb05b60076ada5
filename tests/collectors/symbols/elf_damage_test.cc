// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "collectors/process/gpu_library_kind.h"
#include "collectors/process/unique_fd.h"
#include "collectors/symbols/elf_symbols.h"
#include "collectors/symbols/symbol_module.h"
#include "tests/catch.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Everything that reads ELF files; what it says does not matter, that it comes back does.
void ReadAll(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto elf = ElfFile::Read(fd.get(), path);
  if (elf.ok()) (void)elf.value().BuildId();
  (void)ContentOfFile(fd.get(), path);
  SymbolModule module("damaged", UniqueFd(dup(fd.get())));
  for (uint64_t offset = 0; offset < 0x3000; offset += 0x40)
    (void)module.Resolve(offset, true);
}

TEST_CASE("elf damage: a file cut at any length gives an error that says so", "[symbols]") {
  const TempDir dir;
  const std::string path = dir.File("cut.so");
  const std::string whole = Bytes(GPUWHY_FAKE_TORCH);
  REQUIRE(whole.size() > 4096);

  for (size_t size = 0; size < whole.size(); size += size < 1024 ? 7 : 251) {
    INFO(size);
    Write(path, whole.substr(0, size));
    const auto found = ReadFunctions(path);
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().code == ErrorCode::kCorruptInput);
    CHECK(found.error().message.starts_with("cannot read symbols of " + path + ": "));
    ReadAll(path);
  }
}

TEST_CASE("elf damage: flipped bits never crash a reader", "[symbols]") {
  const TempDir dir;
  const std::string path = dir.File("flipped.so");
  const std::string whole = Bytes(GPUWHY_FAKE_TORCH);
  std::mt19937 random(4711);  // NOLINT(bugprone-random-generator-seed): the same each time
  int refused_count = 0;

  for (int round = 0; round < 1500; ++round) {
    std::string bytes = whole;
    // The first and last bytes hold the tables that everything else hangs on.
    const size_t limit = round % 3 == 0 ? 1024 : bytes.size();
    for (int flips = 1 + round % 8; flips > 0; --flips) {
      const size_t from_end = random() % limit;
      const size_t at = round % 2 == 0 ? from_end : bytes.size() - 1 - from_end;
      bytes[at] = static_cast<char>(bytes[at] ^ (1U << (random() % 8)));
    }
    Write(path, bytes);
    if (!ReadFunctions(path).ok()) ++refused_count;
    ReadAll(path);
  }

  CHECK(refused_count > 0);
}

}  // namespace
}  // namespace gpuwhy
