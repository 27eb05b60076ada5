// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/gpu_libraries.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "collectors/process/process_list.h"
#include "tests/catch.h"
#include "tests/support/child_process.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

namespace fs = std::filesystem;
using Kind = GpuLibraryKind;

// A process that has loaded a copy of the library with each of these names.
class Loaded {
 public:
  explicit Loaded(const std::vector<std::string>& names)
      : child_([&] {
          for (const std::string& name : names) {
            fs::copy_file(GPUWHY_FAKE_TORCH, dir_.File(name));
            if (dlopen(dir_.File(name).c_str(), RTLD_NOW) == nullptr) return false;
          }
          return true;
        }) {}

  pid_t pid() const { return child_.pid(); }
  std::string File(const std::string& name) const { return dir_.File(name); }

 private:
  TempDir dir_;
  ChildProcess child_;
};

TEST_CASE("gpu libraries: names tell the kind, also those with a hash", "[process]") {
  CHECK(KindOfName("libcudart.so.12") == Kind::kCudaRuntime);
  CHECK(KindOfName("libcudart.so.13.0.48") == Kind::kCudaRuntime);
  CHECK(KindOfName("libcudart-9335f6a2.so.12") == Kind::kCudaRuntime);
  CHECK(KindOfName("libcuda.so") == Kind::kCudaDriver);
  CHECK(KindOfName("libcuda.so.1") == Kind::kCudaDriver);
  CHECK(KindOfName("libcuda.so.550.54.14") == Kind::kCudaDriver);
  CHECK(KindOfName("libnccl.so.2") == Kind::kNccl);
  CHECK(KindOfName("libnccl-0a1b2c3d.so.2.20.5") == Kind::kNccl);
}

TEST_CASE("gpu libraries: names that only begin alike tell nothing", "[process]") {
  const std::string name = GENERATE(
      as<std::string>(), "", "libc.so.6", "libcudart", "libcudart_static.a", "libcudart.so.12x",
      "libcuda.so.1.py", "libcudadebugger.so.1", "libnccl-net.so", "libnccl-tuner.so.1",
      "libnccl_net.so", "libcublas.so.12", "xlibcuda.so.1", "libcuda-abc.so");
  INFO(name);

  CHECK_FALSE(KindOfName(name));
}

TEST_CASE("gpu libraries: a hashed runtime is found by its name", "[process]") {
  const Loaded process({"libcudart-9335f6a2.so.12"});

  const auto found = GpuLibraryFinder().Find(process.pid());

  REQUIRE(found.ok());
  REQUIRE(found.value().libraries.size() == 1);
  const GpuLibrary& library = found.value().libraries[0];
  CHECK(library.kind == Kind::kCudaRuntime);
  CHECK(library.recognised_by == RecognisedBy::kFileName);
  CHECK(library.path == process.File("libcudart-9335f6a2.so.12"));
  CHECK(library.open_path == library.path);
  CHECK_FALSE(found.value().has_driver_only);
}

TEST_CASE("gpu libraries: runtime and NCCL inside of another library are found by symbols",
          "[process]") {
  const Loaded process({"libtorch_cuda.so"});

  const auto found = GpuLibraryFinder().Find(process.pid());

  REQUIRE(found.ok());
  REQUIRE(found.value().libraries.size() == 2);
  CHECK(found.value().libraries[0].kind == Kind::kCudaRuntime);
  CHECK(found.value().libraries[1].kind == Kind::kNccl);
  CHECK(found.value().libraries[1].recognised_by == RecognisedBy::kExportedSymbol);
}

TEST_CASE("gpu libraries: a runtime linked into a program that is not stripped is found",
          "[process]") {
  const ChildProcess program({GPUWHY_STATIC_RUNTIME});

  const auto found = GpuLibraryFinder().Find(program.pid());

  REQUIRE(found.ok());
  REQUIRE(found.value().libraries.size() == 1);
  CHECK(found.value().libraries[0].kind == Kind::kCudaRuntime);
  CHECK(found.value().libraries[0].recognised_by == RecognisedBy::kLocalSymbol);
  CHECK(found.value().libraries[0].path == GPUWHY_STATIC_RUNTIME);
}

TEST_CASE("gpu libraries: a driver without a runtime is said", "[process]") {
  const Loaded process({"libcuda.so.1"});

  CHECK(GpuLibraryFinder().Find(process.pid()).value().has_driver_only);
}

TEST_CASE("gpu libraries: a process without any has none, one that has ended is not found",
          "[process]") {
  ChildProcess child({"/bin/cat"});
  GpuLibraryFinder finder;
  const pid_t pid = child.pid();
  CHECK(finder.Find(pid).value().libraries.empty());
  CHECK_FALSE(finder.Find(pid).value().has_driver_only);

  child.End();

  CHECK(finder.Find(pid).error().code == ErrorCode::kNotFound);
}

TEST_CASE("gpu libraries: what a file holds is read once, and again when it has changed",
          "[process]") {
  const Loaded process({"libtorch_cuda.so"});
  GpuLibraryFinder finder;
  REQUIRE(finder.Find(process.pid()).ok());
  const int64_t first_count = finder.read_file_count();

  REQUIRE(finder.Find(process.pid()).ok());
  CHECK(finder.read_file_count() == first_count);

  std::ofstream(process.File("libtorch_cuda.so"), std::ios::app) << "more";
  CHECK(finder.Find(process.pid()).value().libraries.size() == 2);
  CHECK(finder.read_file_count() == first_count + 1);
}

TEST_CASE("gpu libraries: a scan of all processes names those that have some", "[process]") {
  const Loaded process({"libnccl.so.2"});
  const ChildProcess other({"/bin/cat"});
  GpuLibraryFinder finder;

  const auto found = finder.FindAll(ListPids().value());

  REQUIRE(found.contains(process.pid()));
  CHECK(found.at(process.pid()).libraries[0].kind == Kind::kNccl);
  CHECK_FALSE(found.contains(other.pid()));
}

TEST_CASE("gpu libraries: a damaged file is a problem that is named", "[process]") {
  const Loaded process({"plugin.so"});
  fs::resize_file(process.File("plugin.so"), fs::file_size(process.File("plugin.so")) - 64);

  const auto found = GpuLibraryFinder().Find(process.pid());

  REQUIRE(found.ok());
  REQUIRE(found.value().problems.size() == 1);
  CHECK(found.value().problems[0].find("plugin.so") != std::string::npos);
}

}  // namespace
}  // namespace gpuwhy
