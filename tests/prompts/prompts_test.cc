// SPDX-License-Identifier: Apache-2.0
#include "prompts/prompts.h"

#include <regex>

#include "tests/catch.h"
#include "tools/tool.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kFile =
    "---\nname: ask\ntitle: Ask\ndescription: Asks: a question\nrequired what: the thing\n"
    "argument where: the place\n---\nAsk {{what}} in {{where|any place}}.\n";

}  // namespace

TEST_CASE("prompts: front matter gives name, description and arguments", "[prompts]") {
  const auto prompt = ParsePrompt(kFile);

  REQUIRE(prompt.ok());
  CHECK(prompt.value().name == "ask");
  CHECK(prompt.value().title == "Ask");
  CHECK(prompt.value().description == "Asks: a question");
  REQUIRE(prompt.value().arguments.size() == 2);
  CHECK(prompt.value().arguments[0].is_required);
  CHECK(prompt.value().arguments[1].name == "where");
  CHECK(prompt.value().text == "Ask {{what}} in {{where|any place}}.\n");
}

TEST_CASE("prompts: broken front matter is refused", "[prompts]") {
  const auto file =
      GENERATE(as<std::string_view>(), "", "text", "---\nname: a\n", "---\ndescription: b\n---\n",
               "---\nname: a\n---\n", "---\nname: a\ndescription: b\nother: c\n---\n",
               "---\nname: a\ndescription: b\nargument : c\n---\n");

  CHECK_FALSE(ParsePrompt(file).ok());
}

TEST_CASE("prompts: arguments are filled in, cleaned, or replaced by their default", "[prompts]") {
  const Prompt prompt = ParsePrompt(kFile).value();

  CHECK(FillPrompt(prompt, {{"what", "x"}}).value() == "Ask x in any place.\n");
  CHECK(FillPrompt(prompt, {{"what", "x"}, {"where", "y"}}).value() == "Ask x in y.\n");
  CHECK(FillPrompt(prompt, {{"what", "{{where}}"}}).value() == "Ask {{where}} in any place.\n");
  CHECK(FillPrompt(prompt, {{"what", "a\x1b"}}).value() == "Ask a\xef\xbf\xbd in any place.\n");
}

TEST_CASE("prompts: missing, unknown and long arguments are refused", "[prompts]") {
  const Prompt prompt = ParsePrompt(kFile).value();

  CHECK_FALSE(FillPrompt(prompt, {}).ok());
  CHECK_FALSE(FillPrompt(prompt, {{"what", "x"}, {"when", "y"}}).ok());
  CHECK_FALSE(FillPrompt(prompt, {{"what", "x y"}}).ok());
  CHECK_FALSE(FillPrompt(prompt, {{"what", std::string(201, 'x')}}).ok());
}

TEST_CASE("prompts: each tool that a prompt names exists", "[prompts]") {
  for (const Prompt& prompt : AllPrompts()) {
    const std::regex tool_name("\\b(get_[a-z_]+|run_sql|compare_traces)\\b");
    for (std::sregex_iterator it(prompt.text.begin(), prompt.text.end(), tool_name), end; it != end;
         ++it) {
      INFO(prompt.name << " names " << it->str());
      CHECK(tools::FindTool(it->str()) != nullptr);
    }
  }
}

TEST_CASE("prompts: the investigation leads through all its tools", "[prompts]") {
  const Prompt* prompt = FindPrompt("investigate");

  REQUIRE(prompt != nullptr);
  for (const char* tool :
       {"get_trace_overview", "get_findings", "get_gpu_idle_causes", "get_causal_chains",
        "get_per_process_breakdown", "get_call_stacks", "run_sql"}) {
    CHECK(prompt->text.find(tool) != std::string::npos);
  }
}

}  // namespace gpuwhy
