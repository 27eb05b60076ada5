// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/cgroup.h"

#include "tests/catch.h"

namespace gpuwhy {
namespace {

const std::string kId = "6c1f0e2a9b8d7c6f5e4d3c2b1a0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a2e";

TEST_CASE("cgroup: paths come once each, that of v2 first", "[process]") {
  const auto paths =
      ParseCgroupPaths("5:cpu,cpuacct:/docker/a:b\n4:memory:/docker/a:b\n0::/x\nbad\n");

  CHECK(paths == std::vector<std::string>{"/x", "/docker/a:b"});
  CHECK(MainCgroupPath({"/", "/a"}) == "/a");
  CHECK(MainCgroupPath({}) == "/");
}

TEST_CASE("cgroup: containers are recognised in the paths of each runtime", "[process]") {
  struct Case {
    std::string path;
    std::string runtime;
  };
  const auto c = GENERATE_COPY(values<Case>(
      {{"/system.slice/docker-" + kId + ".scope", "docker"},
       {"/docker/" + kId, "docker"},
       {"/docker/" + kId + "/init", "docker"},
       {"/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + kId + ".scope", "containerd"},
       {"/system.slice/containerd.service/kubepods-pod1.slice:cri-containerd:" + kId, "containerd"},
       {"/system.slice/nerdctl-" + kId + ".scope", "containerd"},
       {"/kubepods.slice/crio-" + kId + ".scope", "cri-o"},
       {"/user.slice/user-1000.slice/user.scope/libpod-" + kId + ".scope/container", "podman"},
       {"/libpod_parent/" + kId, "podman"},
       {"/kubepods/burstable/pod7f3c1a2e-1d2c/" + kId, ""}}));
  INFO(c.path);

  const auto container = ContainerOfCgroup(c.path);

  REQUIRE(container);
  CHECK(*container == Container{c.runtime, kId});
}

TEST_CASE("cgroup: paths without a container have none", "[process]") {
  const std::string path = GENERATE_COPY(
      as<std::string>(), "", "/", "/user.slice/session-1.scope", "/docker/abc",
      "/machine.slice/libpod-conmon-" + kId + ".scope", "/a/crio-conmon-" + kId + ".scope",
      "/a/" + kId + "0", "/docker/" + kId.substr(1) + "g");
  INFO(path);

  CHECK_FALSE(ContainerOfCgroup(path));
}

TEST_CASE("cgroup: a group holds itself and what is below it", "[process]") {
  CHECK(IsInCgroup("/a/b", "/a"));
  CHECK(IsInCgroup("/a/b", "/a/"));
  CHECK(IsInCgroup("/a", "/a"));
  CHECK(IsInCgroup("/a", "/"));
  CHECK_FALSE(IsInCgroup("/ab", "/a"));
  CHECK_FALSE(IsInCgroup("/", "/a"));
}

}  // namespace
}  // namespace gpuwhy
