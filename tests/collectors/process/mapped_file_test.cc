// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/mapped_file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "tests/catch.h"
#include "tests/support/child_process.h"
#include "tests/support/mounts.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

namespace fs = std::filesystem;

std::optional<Mapping> CodeOf(pid_t pid, const std::string& path) {
  const auto maps = ReadMaps(pid);
  if (!maps.ok()) return std::nullopt;
  for (const Mapping& mapping : maps.value().mappings) {
    if (mapping.is_executable && mapping.path == path) return mapping;
  }
  return std::nullopt;
}

bool Load(const std::string& path) {
  return dlopen(path.c_str(), RTLD_NOW) != nullptr;
}

ino_t InodeOf(int fd) {
  struct stat state {};
  return fstat(fd, &state) == 0 ? state.st_ino : 0;
}

TEST_CASE("mapped file: one that is still in its place is opened by its path", "[process]") {
  const TempDir dir;
  const std::string path = dir.File("with a space.so");
  fs::copy_file(GPUWHY_FAKE_TORCH, path);
  const ChildProcess child([&] { return Load(path); });
  const auto mapping = CodeOf(child.pid(), path);
  REQUIRE(mapping);

  const auto file = OpenMappedFile(child.pid(), *mapping);

  REQUIRE(file.ok());
  CHECK(file.value().open_path == path);
  CHECK(file.value().size_bytes == fs::file_size(path));
}

TEST_CASE("mapped file: one that was replaced is never taken for the one in its place",
          "[process]") {
  const TempDir dir;
  const std::string path = dir.File("libnccl.so.2");
  fs::copy_file(GPUWHY_FAKE_TORCH, path);
  const ChildProcess child([&] { return Load(path); });
  fs::remove(path);
  fs::copy_file("/bin/true", path);
  const auto mapping = CodeOf(child.pid(), path);
  REQUIRE(mapping);
  CHECK(mapping->is_deleted);

  const auto file = OpenMappedFile(child.pid(), *mapping);

  if (!file.ok()) {
    WARN("not checked: map_files needs root");
    return;
  }
  CHECK(file.value().open_path.find("/map_files/") != std::string::npos);
  CHECK(InodeOf(file.value().fd.get()) == mapping->file.inode);
  CHECK(file.value().size_bytes == fs::file_size(GPUWHY_FAKE_TORCH));
}

TEST_CASE("mapped file: one in another mount namespace is opened through the root of its process",
          "[process]") {
  const TempDir dir;
  const std::string path = dir.File("lib.so");
  const ChildProcess child([&] {
    return HideUnderTmpfs(fs::path(path).parent_path()) && fs::copy_file(GPUWHY_FAKE_TORCH, path) &&
           Load(path);
  });
  if (!child.ok()) {
    WARN("not checked: mount namespaces need root");
    return;
  }
  fs::copy_file("/bin/true", path);  // another file of this name, on our side
  const auto mapping = CodeOf(child.pid(), path);
  REQUIRE(mapping);

  const auto file = OpenMappedFile(child.pid(), *mapping);

  REQUIRE(file.ok());
  CHECK(file.value().open_path == "/proc/" + std::to_string(child.pid()) + "/root" + path);
  CHECK(InodeOf(file.value().fd.get()) == mapping->file.inode);
}

TEST_CASE("mapped file: on overlayfs, as containers have it, the file is found too", "[process]") {
  const TempDir dir;
  const std::string base = fs::path(dir.File("x")).parent_path();
  const ChildProcess child([&] {
    if (!HideUnderTmpfs(base)) return false;
    for (const char* name : {"lower", "upper", "work", "merged"})
      fs::create_directory(base + "/" + name);
    fs::copy_file(GPUWHY_FAKE_TORCH, base + "/lower/lib.so");
    const std::string options =
        "lowerdir=" + base + "/lower,upperdir=" + base + "/upper,workdir=" + base + "/work";
    return mount("overlay", (base + "/merged").c_str(), "overlay", 0, options.c_str()) == 0 &&
           Load(base + "/merged/lib.so");
  });
  if (!child.ok()) {
    WARN("not checked: no overlayfs here");
    return;
  }
  const auto mapping = CodeOf(child.pid(), base + "/merged/lib.so");
  REQUIRE(mapping);

  const auto file = OpenMappedFile(child.pid(), *mapping);

  REQUIRE(file.ok());
  CHECK(file.value().open_path.find("/root/") != std::string::npos);
}

TEST_CASE("mapped file: a FIFO in the place of a file is not waited for", "[process]") {
  const TempDir dir;
  const std::string path = dir.File("lib.so");
  fs::copy_file(GPUWHY_FAKE_TORCH, path);
  ChildProcess child([&] { return Load(path); });
  auto mapping = CodeOf(child.pid(), path);
  REQUIRE(mapping);
  fs::remove(path);
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const pid_t pid = child.pid();
  child.End();

  const auto file = OpenMappedFile(pid, *mapping);

  REQUIRE_FALSE(file.ok());
  CHECK(file.error().message.find(path) != std::string::npos);
}

}  // namespace
}  // namespace gpuwhy
