// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/symbolizer.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "collectors/process/mapped_file.h"
#include "tests/catch.h"
#include "tests/support/child_process.h"
#include "tests/support/mounts.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {

// Not in the anonymous namespace: its name is looked for.
__attribute__((noinline)) int FunctionToBeFound(int value) {
  return value * static_cast<int>(getpid());
}

namespace {

namespace fs = std::filesystem;

uint64_t AddressOf(const void* code) {
  return reinterpret_cast<uint64_t>(code);
}

uint64_t OwnFunction() {
  return reinterpret_cast<uint64_t>(&FunctionToBeFound);
}

// Where `function` of the file with this path is in a process that has loaded it.
uint64_t AddressIn(pid_t pid, const std::string& path, const std::string& function) {
  const auto maps = ReadMaps(pid);
  const auto functions = ReadFunctions(GPUWHY_FAKE_TORCH, {function});
  if (!maps.ok() || !functions.ok() || functions.value().empty()) return 0;
  for (const Mapping& mapping : maps.value().mappings) {
    if (!mapping.is_executable || mapping.path != path) continue;
    return mapping.start + functions.value()[0].file_offset - mapping.file_offset;
  }
  return 0;
}

TEST_CASE("symbolizer: a function of our own program is found, demangled", "[symbols]") {
  Symbolizer symbolizer;
  REQUIRE(symbolizer.RememberProcess(getpid()).ok());

  const Frame frame = symbolizer.ResolveUser(getpid(), OwnFunction() + 1);

  CHECK(frame.is_known);
  CHECK(frame.function == "gpuwhy::FunctionToBeFound(int)");
  CHECK(frame.module == fs::read_symlink("/proc/self/exe").filename());
  CHECK(frame.offset_bytes == 1);
  CHECK(frame.source_file.empty());
}

TEST_CASE("symbolizer: the source line comes from debug information in the file", "[symbols]") {
  const ChildProcess child([] { return dlopen(GPUWHY_FAKE_TORCH, RTLD_NOW) != nullptr; });
  const uint64_t address = AddressIn(child.pid(), GPUWHY_FAKE_TORCH, "ncclAllReduce");
  Symbolizer symbolizer({.with_source_lines = true});
  REQUIRE(symbolizer.RememberProcess(child.pid()).ok());

  const Frame frame = symbolizer.ResolveUser(child.pid(), address);

  CHECK(frame.function == "ncclAllReduce");
  CHECK(fs::path(frame.source_file).filename() == "fake_torch.c");
  CHECK(frame.source_line == 7);
}

TEST_CASE("symbolizer: functions of libc are those that the loader names", "[symbols]") {
  const std::string name = GENERATE(as<std::string>(), "qsort", "fopen", "inet_ntoa", "getenv");
  Symbolizer symbolizer;
  REQUIRE(symbolizer.RememberProcess(getpid()).ok());
  const void* code = dlsym(RTLD_DEFAULT, name.c_str());
  Dl_info info{};
  REQUIRE(dladdr(code, &info) != 0);

  const Frame frame = symbolizer.ResolveUser(getpid(), AddressOf(code) + 4);

  CHECK(frame.is_known);
  CHECK(frame.module == fs::canonical(info.dli_fname).filename());
  const void* found = dlsym(RTLD_DEFAULT, frame.function.c_str());  // an alias serves as well
  CHECK((frame.function == info.dli_sname || found == code));
}

TEST_CASE("symbolizer: the code that the kernel maps has names", "[symbols]") {
  const uint64_t start = getauxval(AT_SYSINFO_EHDR);
  if (start == 0) return;
  Symbolizer symbolizer;
  REQUIRE(symbolizer.RememberProcess(getpid()).ok());
  bool has_clock = false;

  for (uint64_t address = start; address < start + 0x2000; address += 16) {
    const Frame frame = symbolizer.ResolveUser(getpid(), address);
    CHECK(frame.module == "[vdso]");
    if (frame.function.find("clock_gettime") != std::string::npos) has_clock = true;
  }

  CHECK(has_clock);
}

TEST_CASE("symbolizer: a process that has ended and whose library is deleted is still known",
          "[symbols]") {
  const TempDir dir;
  const std::string path = dir.File("libgone.so");
  fs::copy_file(GPUWHY_FAKE_TORCH, path);
  ChildProcess child([&] { return dlopen(path.c_str(), RTLD_NOW) != nullptr; });
  const pid_t pid = child.pid();
  Symbolizer symbolizer;
  REQUIRE(symbolizer.RememberProcess(pid).ok());
  const uint64_t address = AddressIn(pid, path, "ncclAllReduce");
  REQUIRE(address != 0);
  child.End();
  fs::remove(path);

  const Frame frame = symbolizer.ResolveUser(pid, address + 2);

  CHECK(frame.function == "ncclAllReduce");
  CHECK(frame.module == "libgone.so");
  CHECK(frame.offset_bytes == 2);
  CHECK_FALSE(symbolizer.RememberProcess(pid).ok());
  CHECK(symbolizer.ResolveUser(pid, address).is_known);
}

TEST_CASE("symbolizer: a library in another mount namespace is read, not its namesake here",
          "[symbols]") {
  const TempDir dir;
  const std::string path = dir.File("lib with space.so");
  const ChildProcess child([&] {
    return HideUnderTmpfs(fs::path(path).parent_path()) && fs::copy_file(GPUWHY_FAKE_TORCH, path) &&
           dlopen(path.c_str(), RTLD_NOW) != nullptr;
  });
  if (!child.ok()) {
    WARN("not checked: mount namespaces need root");
    return;
  }
  fs::copy_file("/bin/true", path);
  Symbolizer symbolizer;
  REQUIRE(symbolizer.RememberProcess(child.pid()).ok());

  const uint64_t address = AddressIn(child.pid(), path, "cudaLaunchKernel");
  const Frame frame = symbolizer.ResolveUser(child.pid(), address);

  CHECK(frame.function == "cudaLaunchKernel");
  CHECK(frame.module == "lib with space.so");
}

TEST_CASE("symbolizer: what is not known is given as a place", "[symbols]") {
  Symbolizer symbolizer;
  REQUIRE(symbolizer.RememberProcess(getpid()).ok());

  CHECK(symbolizer.ResolveUser(getpid(), 0x10).function == "0x10");
  CHECK(symbolizer.ResolveUser(getpid(), 0x10).module.empty());
  CHECK(symbolizer.ResolveUser(0x7ffffff0, 0x10).function == "0x10");

  const ChildProcess cat({"/bin/cat"});  // stripped
  REQUIRE(symbolizer.RememberProcess(cat.pid()).ok());
  const ProcessMaps maps = ReadMaps(cat.pid()).value();
  for (const Mapping& mapping : maps.mappings) {
    if (!mapping.is_executable || !mapping.path.ends_with("/cat")) continue;
    const Frame frame = symbolizer.ResolveUser(cat.pid(), mapping.start + 0x10);
    CHECK_FALSE(frame.is_known);
    CHECK(frame.module == "cat");
    CHECK(frame.function == fmt::format("cat+0x{:x}", frame.offset_bytes));
  }
}

TEST_CASE("symbolizer: a snapshot after exec adds the new program", "[symbols]") {
  const ChildProcess child([] { return true; });
  Symbolizer symbolizer;
  REQUIRE(symbolizer.RememberProcess(child.pid()).ok());
  const size_t before_count = symbolizer.module_count();
  const ChildProcess program({GPUWHY_STATIC_RUNTIME});

  REQUIRE(symbolizer.RememberProcess(program.pid()).ok());

  CHECK(symbolizer.module_count() == before_count + 1);  // libc and the loader are shared
  symbolizer.ForgetProcess(program.pid());
  CHECK(symbolizer.module_count() == before_count);
}

TEST_CASE("symbolizer: functions of a JIT compiler come from the perf map of the process",
          "[symbols]") {
  ChildProcess child([] { return true; });
  const pid_t pid = child.pid();
  const std::string path = fmt::format("/tmp/perf-{}.map", pid);
  std::ofstream(path) << "7f0000001000 20 py::forward:/app/model.py\n";
  Symbolizer symbolizer;
  REQUIRE(symbolizer.RememberProcess(pid).ok());
  child.End();
  fs::remove(path);

  CHECK(symbolizer.ResolveUser(pid, 0x7f0000001004).function == "py::forward:/app/model.py");
}

TEST_CASE("symbolizer: a damaged library is a problem that is named once", "[symbols]") {
  const TempDir dir;
  const std::string path = dir.File("cut.so");
  fs::copy_file(GPUWHY_FAKE_TORCH, path);
  const ChildProcess child([&] { return dlopen(path.c_str(), RTLD_NOW) != nullptr; });
  const uint64_t address = AddressIn(child.pid(), path, "cudaLaunchKernel");
  Symbolizer symbolizer;
  REQUIRE(symbolizer.RememberProcess(child.pid()).ok());
  fs::resize_file(path, fs::file_size(path) - 64);

  CHECK(symbolizer.ResolveUser(child.pid(), address).module == "cut.so");
  CHECK_FALSE(symbolizer.ResolveUser(child.pid(), address).is_known);
  CHECK(symbolizer.Problems() ==
        std::vector<std::string>{
            "cannot read symbols of cut.so: its end with the section table is missing"});
}

TEST_CASE("symbolizer: kernel addresses are functions, or hidden and said to be", "[symbols]") {
  Symbolizer symbolizer;

  const Frame frame = symbolizer.ResolveKernel(0x10);

  CHECK_FALSE(frame.is_known);
  CHECK(frame.module == "kernel");
  CHECK(frame.function == "0x10");
}

}  // namespace
}  // namespace gpuwhy
