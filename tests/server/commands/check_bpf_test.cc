// SPDX-License-Identifier: Apache-2.0
// gpuwhy check where recording works, and with privileges taken away one by one.
#include <signal.h>

#include <chrono>
#include <cstdio>

#include "tests/catch.h"
#include "tests/support/run_program.h"
#include "tools/json.h"

namespace gpuwhy {
namespace {

std::string StatusOf(const Json& answer, const std::string& what) {
  for (const Json& row : answer["checks"]) {
    if (row["what"] == what) return row["status"];
  }
  return "not listed";
}

Json Parsed(const ProgramResult& result) {
  Json answer = Json::parse(result.out, nullptr, false);
  REQUIRE(answer.is_object());
  return answer;
}

}  // namespace

TEST_CASE("check: where the recorder can be loaded the exit code is 0", "[check]") {
  const ProgramResult result = RunProgram({"check", "--json"});

  const Json answer = Parsed(result);
  CHECK(result.exit_code == 0);
  CHECK(answer["summary"]["can_record"] == "yes");
  for (const char* what :
       {"Linux kernel", "kernel type information (BTF)", "CAP_BPF", "loading the recorder",
        "probing functions", "tracepoint sched_switch"}) {
    INFO(what);
    CHECK(StatusOf(answer, what) == "ok");
  }
}

TEST_CASE("check: a missing capability is named, with what would give it", "[check]") {
  const auto [dropped, name] =
      GENERATE(std::pair<const char*, const char*>("bpf", "CAP_BPF"),
               std::pair<const char*, const char*>("perfmon", "CAP_PERFMON"));

  const ProgramResult result = RunProgramWithout({dropped, "sys_admin"}, {"check", "--json"});

  const Json answer = Parsed(result);
  INFO(result.err);
  CHECK(result.exit_code == 3);
  CHECK(answer["summary"]["can_record"] == "no");
  CHECK(StatusOf(answer, name) == "missing");
  CHECK(StatusOf(answer, "loading the recorder") == "missing");
  for (const Json& row : answer["checks"]) {
    INFO(row["what"]);
    if (row["what"] == name || row["what"] == "loading the recorder")
      CHECK_FALSE(row["fix"].get<std::string>().empty());
  }
}

TEST_CASE("check: without the right to look into processes, recording is limited", "[check]") {
  const ProgramResult result = RunProgramWithout({"sys_ptrace"}, {"check", "--json"});

  CHECK(result.exit_code == 0);
  CHECK(StatusOf(Parsed(result), "CAP_SYS_PTRACE") == "limited");
}

TEST_CASE("check: a process that uses a GPU now is listed with its libraries", "[check]") {
  const std::string loop = "LD_LIBRARY_PATH=" GPUWHY_SIMGPU_DIR " " GPUWHY_SIMGPU_DIR
                           "/training_loop --duration-s 60 >/dev/null & echo $! >&3; wait";
  FILE* pipe = popen(("exec 3>&1; " + loop).c_str(), "r");
  REQUIRE(pipe != nullptr);
  int pid = 0;
  REQUIRE(std::fscanf(pipe, "%d", &pid) == 1);

  std::string status;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (status != "ok" && std::chrono::steady_clock::now() < latest) {
    const Json answer = Parsed(RunProgram({"check", "--json"}));
    status = StatusOf(answer, "process " + std::to_string(pid) + " (training_loop)");
  }
  kill(pid, SIGKILL);
  pclose(pipe);

  CHECK(status == "ok");
}

}  // namespace gpuwhy
