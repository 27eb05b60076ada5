// SPDX-License-Identifier: Apache-2.0
#include <sys/utsname.h>

#include "tests/catch.h"
#include "tools/tool.h"

namespace gpuwhy {
namespace {

Answer Check() {
  const Tool* tool = tools::FindTool("get_system_check");
  REQUIRE(tool != nullptr);
  const auto params = Params::Parse(tool->params, Json());
  REQUIRE(params.ok());
  auto answer = tool->run({.params = params.value(), .stop = {}, .progress = {}});
  REQUIRE(answer.ok());
  return std::move(answer).value();
}

}  // namespace

TEST_CASE("get_system_check: reports the kernel that runs", "[tools]") {
  utsname name{};
  REQUIRE(uname(&name) == 0);

  CHECK(RenderText(Check()).find(name.release) != std::string::npos);
}

TEST_CASE("get_system_check: what fails has a fix or says what it is for", "[tools]") {
  const Answer answer = Check();

  const auto& table = std::get<Table>(answer.sections.at(1));
  REQUIRE(table.rows.size() > 8);
  for (const auto& row : table.rows) {
    INFO(std::get<std::string>(row[1]));
    CHECK_FALSE(std::get<std::string>(row[2]).empty());
    CHECK_FALSE(std::get<std::string>(row[3]).empty());
  }
}

}  // namespace gpuwhy
