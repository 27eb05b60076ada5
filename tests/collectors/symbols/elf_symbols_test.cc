// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/elf_symbols.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "collectors/process/unique_fd.h"
#include "tests/catch.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

// The file that holds `function` as it is loaded here, and the address that the file gives it.
struct Loaded {
  std::string path;
  uint64_t address = 0;
};

Loaded WhereIs(const char* function) {
  Dl_info info{};
  link_map* map = nullptr;
  const void* place = dlsym(RTLD_DEFAULT, function);
  if (place == nullptr ||
      dladdr1(place, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
    return {};
  return {info.dli_fname, reinterpret_cast<uint64_t>(place) - map->l_addr};
}

TEST_CASE("elf symbols: a function of libc is where the loader has it", "[symbols]") {
  const std::string name = GENERATE(as<std::string>(), "malloc", "printf", "getpid", "qsort");
  const Loaded libc = WhereIs(name.c_str());
  if (name == "malloc" && libc.path.find("libc.so") == std::string::npos) return;  // ASan has it

  const auto found = ReadFunctions(WhereIs("fopen").path.empty() ? "" : libc.path, {name});

  REQUIRE(found.ok());
  const auto same = std::find_if(found.value().begin(), found.value().end(),
                                 [&](const ElfFunction& f) { return f.address == libc.address; });
  REQUIRE(same != found.value().end());
  CHECK(same->name == name);
  CHECK(same->is_exported);
  CHECK(same->size_bytes > 0);
}

TEST_CASE("elf symbols: the bytes at the file offset are the code", "[symbols]") {
  const auto* code = reinterpret_cast<const char*>(dlsym(RTLD_DEFAULT, "inet_ntoa"));
  REQUIRE(code != nullptr);
  const Loaded libc = WhereIs("inet_ntoa");

  const auto found = ReadFunctions(libc.path, {"inet_ntoa"});

  REQUIRE(found.ok());
  REQUIRE(found.value().size() == 1);
  std::ifstream file(libc.path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(found.value()[0].file_offset));
  std::array<char, 16> bytes{};
  file.read(bytes.data(), bytes.size());
  CHECK(std::equal(bytes.begin(), bytes.end(), code));
}

TEST_CASE("elf symbols: exported and hidden functions are told apart", "[symbols]") {
  const auto exported = ReadFunctions(GPUWHY_FAKE_TORCH, {"cudaLaunchKernel", "ncclAllReduce"});
  const auto hidden = ReadFunctions(GPUWHY_STATIC_RUNTIME, {"cudaLaunchKernel"});

  REQUIRE(exported.ok());
  REQUIRE(hidden.ok());
  REQUIRE(exported.value().size() == 2);
  CHECK(exported.value()[0].is_exported);
  REQUIRE(hidden.value().size() == 1);
  CHECK_FALSE(hidden.value()[0].is_exported);
}

TEST_CASE("elf symbols: functions that are only imported are not among them", "[symbols]") {
  const auto found = ReadFunctions(GPUWHY_STATIC_RUNTIME, {"read", "main"});

  REQUIRE(found.ok());
  REQUIRE(found.value().size() == 1);
  CHECK(found.value()[0].name == "main");
}

TEST_CASE("elf symbols: versions are no part of a name", "[symbols]") {
  CHECK(WithoutVersion("memcpy@@GLIBC_2.14") == "memcpy");
  CHECK(WithoutVersion("memcpy@GLIBC_2.2.5") == "memcpy");
  CHECK(WithoutVersion("memcpy") == "memcpy");
  CHECK(WithoutVersion("@plt") == "@plt");
}

TEST_CASE("elf symbols: the build id is as readelf prints it", "[symbols]") {
  const UniqueFd fd(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const auto elf = ElfFile::Read(fd.get(), "self");

  REQUIRE(elf.ok());
  const std::string id = elf.value().BuildId();
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK((id.empty() || id.size() == 40 || id.size() == 16));
}

TEST_CASE("elf symbols: what is no ELF file is refused by name", "[symbols]") {
  const TempDir dir;
  std::ofstream(dir.File("text.so")) << "GROUP ( /lib/libc.so.6 )\n";
  std::ofstream(dir.File("empty.so")).flush();
  const std::string name = GENERATE(as<std::string>(), "text.so", "empty.so", "missing.so");

  const auto found = ReadFunctions(dir.File(name));

  REQUIRE_FALSE(found.ok());
  CHECK(found.error().message.find(name) != std::string::npos);
}

}  // namespace
}  // namespace gpuwhy
