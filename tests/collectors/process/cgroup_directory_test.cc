// SPDX-License-Identifier: Apache-2.0
// The control groups of this machine, found by every name that they have.
#include "collectors/process/cgroup_directory.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {

TEST_CASE("cgroup directory: a full path and one below the root name the same group", "[process]") {
  const TempDir root;
  std::filesystem::create_directories(root.File("cpu/training"));
  std::ofstream(root.File("cpu/training/cgroup.procs")).flush();
  struct stat state {};
  REQUIRE(stat(root.File("cpu/training").c_str(), &state) == 0);

  for (const std::string& wanted :
       {root.File("cpu/training"), std::string("cpu/training"), std::string("/cpu/training"),
        std::string("/training"), std::string("training")}) {
    INFO(wanted);
    const auto found = FindCgroupDirectory(wanted, root.File(""));
    REQUIRE(found.ok());
    CHECK(found.value().id == state.st_ino);
    CHECK(std::filesystem::path(found.value().directory).filename() == "training");
  }
}

TEST_CASE("cgroup directory: what is no group is refused in one sentence", "[process]") {
  const TempDir root;
  std::filesystem::create_directories(root.File("cpu/empty"));

  for (const char* wanted : {"empty", "/no/such/group", "/etc"}) {
    INFO(wanted);
    const auto found = FindCgroupDirectory(wanted, root.File(""));
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().code == ErrorCode::kNotFound);
    CHECK(found.error().message.find("there is no cgroup") == 0);
  }
}

TEST_CASE("cgroup directory: the path is that of its own hierarchy", "[process]") {
  const std::string root = "/sys/fs/cgroup";
  if (!std::filesystem::exists(root)) return;
  size_t found_count = 0;
  for (const char* hierarchy : {"", "/cpu", "/unified", "/systemd"}) {
    const auto found = FindCgroupDirectory(root + hierarchy);
    if (!found.ok()) continue;
    ++found_count;
    CHECK(found.value().path == "/");
  }
  CHECK(found_count > 0);
}

}  // namespace gpuwhy
