// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/perf_map.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/support/child_process.h"
#include "tests/support/mounts.h"

namespace gpuwhy {
namespace {

// The file that the child would write, gone with the object.
class MapFile {
 public:
  explicit MapFile(pid_t pid) : path_(fmt::format("/tmp/perf-{}.map", pid)) {}
  ~MapFile() { unlink(path_.c_str()); }
  MapFile(const MapFile&) = delete;
  MapFile& operator=(const MapFile&) = delete;

  void Append(const std::string& text) const { std::ofstream(path_, std::ios::app) << text; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_CASE("perf map: functions are found by address, of two for one the later", "[symbols]") {
  NamedRanges functions;

  const int64_t skipped_count = AddPerfMapLines(
      "1000 10 py::old:/a b.py\n2000 20 py::g\n1000 18 py::new:/a b.py\nbad\n30 x y\n40 1\n5000 1 "
      "cut",
      functions);
  functions.Sort();

  CHECK(skipped_count == 3);
  CHECK(functions.Find(0x1017)->name == "py::new:/a b.py");
  CHECK_FALSE(functions.Find(0x1018));
  CHECK(functions.Find(0x2000)->name == "py::g");
  CHECK_FALSE(functions.Find(0x0fff));
  CHECK_FALSE(functions.Find(0x5000));
}

TEST_CASE("perf map: what the process adds later is seen, also after its end", "[symbols]") {
  ChildProcess child([] { return true; });
  const MapFile file(child.pid());
  CHECK_FALSE(PerfMap::Open(child.pid()));
  file.Append("7f0000001000 20 py::first\n");
  auto map = PerfMap::Open(child.pid());
  REQUIRE(map);
  CHECK(map->Resolve(0x7f0000001010)->function == "py::first");
  CHECK_FALSE(map->Resolve(0x7f0000002010));

  file.Append("7f0000002000 20 py::second\n");
  child.End();

  const auto frame = map->Resolve(0x7f0000002010);
  REQUIRE(frame);
  CHECK(frame->function == "py::second");
  CHECK(frame->module == "[jit]");
  CHECK(frame->offset_bytes == 0x10);
}

TEST_CASE("perf map: links, FIFOs and directories are not believed", "[symbols]") {
  const ChildProcess child([] { return true; });
  const MapFile file(child.pid());

  REQUIRE(symlink("/proc/version", file.path().c_str()) == 0);
  CHECK_FALSE(PerfMap::Open(child.pid()));
  REQUIRE(unlink(file.path().c_str()) == 0);
  REQUIRE(mkfifo(file.path().c_str(), 0600) == 0);
  CHECK_FALSE(PerfMap::Open(child.pid()));
}

TEST_CASE("perf map: one inside of another mount namespace is found", "[symbols]") {
  const ChildProcess child([] {
    if (!HideUnderTmpfs("/tmp")) return false;
    std::ofstream(fmt::format("/tmp/perf-{}.map", getpid())) << "1000 10 py::inside\n";
    return true;
  });
  if (!child.ok()) {
    WARN("not checked: mount namespaces need root");
    return;
  }

  auto map = PerfMap::Open(child.pid());

  REQUIRE(map);
  CHECK(map->Resolve(0x1000)->function == "py::inside");
}

}  // namespace
}  // namespace gpuwhy
