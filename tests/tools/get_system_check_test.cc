// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "tests/catch.h"
#include "tests/support/temp_dir.h"
#include "tools/json.h"
#include "tools/support/machine.h"
#include "tools/tool.h"

namespace gpuwhy {
namespace {

Json Check() {
  const Params none;
  const auto answer = tools::FindTool("get_system_check")->run({.params = none});
  return Json::parse(RenderJson(answer.value()));
}

TEST_CASE("get_system_check: reports what this machine says of itself", "[tools]") {
  const Json answer = Check();

  for (const Json& check : answer["checks"]) {
    INFO(DumpJson(check));
    const bool is_ok = check["status"] == "ok";
    CHECK((is_ok || check["status"] == "missing"));
    CHECK(is_ok == check["fix"].get<std::string>().empty());
    if (check["check"] == "kernel") CHECK(check["found"] == KernelRelease());
    if (check["check"] == "btf") {
      CHECK(is_ok == (access("/sys/kernel/btf/vmlinux", R_OK) == 0));
    }
  }
}

TEST_CASE("get_system_check: ready to record means that no need is missing", "[tools]") {
  const Json answer = Check();
  bool is_ready = true;
  for (const Json& check : answer["checks"]) {
    for (const char* need : {"kernel", "btf", "rights", "tracefs", "uprobes"}) {
      if (check["check"] == need && check["status"] != "ok") is_ready = false;
    }
  }

  CHECK(answer["summary"]["is_ready_to_record"] == (is_ready ? "yes" : "no"));
}

TEST_CASE("get_system_check: a library that is absent or has no version is no error", "[tools]") {
  const char* const names[] = {"libgpuwhy-absent.so.1", "libsqlite3.so.0"};

  const auto library = LoadLibrary(names, "sqlite3_no_such_function");

  REQUIRE(library.has_value());
  CHECK(library->name == "libsqlite3.so.0");
  CHECK_FALSE(library->version.has_value());
  CHECK_FALSE(LoadLibrary(std::span(names).first(1), nullptr).has_value());
}

TEST_CASE("get_system_check: the version is the word after its label", "[tools]") {
  CHECK(WordAfter("NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.211.01  Wed",
                  "Kernel Module") == "570.211.01");
  CHECK_FALSE(WordAfter("nothing", "Kernel Module").has_value());
}

}  // namespace
}  // namespace gpuwhy
