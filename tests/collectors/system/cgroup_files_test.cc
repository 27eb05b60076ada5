// SPDX-License-Identifier: Apache-2.0
// Both versions of cgroups, from the literal text of their files.
#include "collectors/system/cgroup_files.h"

#include "tests/catch.h"

namespace gpuwhy {
namespace {

constexpr const char* kVersion1 =
    "30 22 0:27 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "31 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 30 0:31 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "40 30 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
constexpr const char* kVersion2 =
    "35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kInContainer =
    "31 30 0:28 /docker/6c1f /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n";

}  // namespace

TEST_CASE("cgroup files: version 1 has a folder a controller", "[system]") {
  const auto mounts = ParseCgroupMounts(kVersion1);
  const char* memberships = "9:name=systemd:/\n4:memory:/m\n1:cpu,cpuacct:/docker/6c1f\n0::/\n";

  REQUIRE(mounts.size() == 3);
  const auto cpu = FolderOf(mounts, memberships, "cpu");
  REQUIRE(cpu);
  CHECK(cpu->FileName("cpu.stat") == "/sys/fs/cgroup/cpu,cpuacct/docker/6c1f/cpu.stat");
  CHECK_FALSE(cpu->is_v2);
  CHECK(FolderOf(mounts, memberships, "memory")->FileName("x") == "/sys/fs/cgroup/memory/m/x");
}

TEST_CASE("cgroup files: version 2 has one folder for all", "[system]") {
  const auto mounts = ParseCgroupMounts(kVersion2);
  const auto folder = FolderOf(mounts, "0::/a.slice/b.scope\n", "memory");

  REQUIRE(folder);
  CHECK(folder->is_v2);
  CHECK(folder->FileName("memory.max") == "/sys/fs/cgroup/a.slice/b.scope/memory.max");
  CHECK(Above(*folder)->path == "/a.slice");
  CHECK(Above(*Above(*folder))->FileName("cpu.max") == "/sys/fs/cgroup/cpu.max");
  CHECK_FALSE(Above(*Above(*Above(*folder))));
}

TEST_CASE("cgroup files: a container sees its own cgroup at the top", "[system]") {
  const auto mounts = ParseCgroupMounts(kInContainer);

  CHECK(FolderOf(mounts, "1:cpu:/docker/6c1f\n", "cpu")->path == "/");
  CHECK(FolderOf(mounts, "1:cpu:/docker/6c1f/inner\n", "cpu")->path == "/inner");
  CHECK_FALSE(FolderOf(mounts, "1:cpu:/docker/other\n", "cpu"));
}

TEST_CASE("cgroup files: what is malformed is no mount and no membership", "[system]") {
  CHECK(ParseCgroupMounts("").empty());
  CHECK(ParseCgroupMounts("31 30 0:28 - cgroup cgroup rw,cpu\n").empty());
  CHECK(ParseCgroupMounts("31 30 0:28 / /sys/fs/cgroup rw - cgroup\n").empty());
  CHECK(ParseCgroupMounts("31 30 0:28 / /mnt rw - ext4 /dev/sda rw\n").empty());
  const auto mounts = ParseCgroupMounts(kVersion2);
  for (const char* text : {"", "0", "0:", ":", "cpu:/x", "1:cpu:/x\n"})
    CHECK_FALSE(FolderOf(mounts, text, "cpu"));
}

TEST_CASE("cpu bandwidth: nanoseconds of version 1, microseconds of version 2", "[system]") {
  const auto v1 = ParseCpuBandwidth("nr_periods 100\nnr_throttled 40\nthrottled_time 5000\n");
  const auto v2 = ParseCpuBandwidth(
      "usage_usec 1\nuser_usec 1\nsystem_usec 0\nnr_periods 100\nnr_throttled 40\n"
      "throttled_usec 5000\nnr_bursts 0\n");

  REQUIRE(v1);
  REQUIRE(v2);
  CHECK(v1->throttled_ns == 5000);
  CHECK(v2->throttled_ns == 5'000'000);
  CHECK(v2->period_count == 100);
  CHECK(v2->throttled_count == 40);
  CHECK_FALSE(ParseCpuBandwidth("usage_usec 1\nuser_usec 1\nsystem_usec 0\n"));
  CHECK_FALSE(ParseCpuBandwidth("nr_periods 100\nnr_throttled x\nthrottled_time 5000\n"));
  CHECK_FALSE(ParseCpuBandwidth(""));
}

TEST_CASE("cpu.max: a quota in cores, or none", "[system]") {
  CHECK(ParseCpuMax("20000 100000\n").value_or(0) == Approx(0.2));
  CHECK(ParseCpuMax("400000 100000\n").value_or(0) == Approx(4));
  for (const char* text : {"max 100000\n", "", "20000", "20000 0\n", "20000 -1\n", "-1 100000\n"})
    CHECK_FALSE(ParseCpuMax(text));
}

TEST_CASE("cpuset: how many are in the list", "[system]") {
  CHECK(CountOfList("0\n") == 1);
  CHECK(CountOfList("0-3,8\n") == 5);
  CHECK(CountOfList("0-1,4-5,127\n") == 5);
  for (const char* text : {"", "\n", "3-0\n", "0-\n", "a\n", "0,\n", "0 1\n"})
    CHECK_FALSE(CountOfList(text));
}

}  // namespace gpuwhy
