// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/command_line.h"

#include "tests/catch.h"
#include "tests/support/child_process.h"

namespace gpuwhy {
namespace {

using Arguments = std::vector<std::string>;

TEST_CASE("command line: secrets are taken away, in every form that names them", "[process]") {
  struct Case {
    Arguments arguments;
    std::string line;
  };
  const auto c = GENERATE(values<Case>(
      {{{"a", "--token", "s3cret"}, "a --token [redacted]"},
       {{"a", "--hf-token=s3cret,x&y"}, "a --hf-token=[redacted]"},
       {{"a", "--apiKey=s3cret"}, "a --apiKey=[redacted]"},
       {{"a", "-password", "-s3cret"}, "a -password [redacted]"},
       {{"a", "--db.password", "s3 cret"}, "a --db.password [redacted]"},
       {{"java", "-Dspring.datasource.password=s3cret"},
        "java -Dspring.datasource.password=[redacted]"},
       {{"env", "WANDB_API_KEY=s3cret", "python"}, "env WANDB_API_KEY=[redacted] python"},
       {{"env", "AWS_SECRET_ACCESS_KEY=s3cret"}, "env AWS_SECRET_ACCESS_KEY=[redacted]"},
       {{"env", "HF_TOKEN_2=s3cret"}, "env HF_TOKEN_2=[redacted]"},
       {{"curl", "-u", "me:s3cret", "host"}, "curl -u me:[redacted] host"},
       {{"curl", "-H", "Authorization: Bearer s3cret"}, "curl -H Authorization: [redacted]"},
       {{"curl", "-H", "X-Api-Key: s3cret"}, "curl -H X-Api-Key: [redacted]"},
       {{"curl", "https://h/x?token=s3cret&n=1"}, "curl https://h/x?token=[redacted]&n=1"},
       {{"git", "clone", "https://me:s3@cret@h/x"}, "git clone https://[redacted]@h/x"},
       {{"a", "redis://:s3cret@h:1/0"}, "a redis://[redacted]@h:1/0"},
       {{"a", "postgres://me@h/db"}, "a postgres://[redacted]@h/db"},
       {{"sh", "-c", "run --password s3cret && ls"}, "sh -c run --password [redacted] && ls"},
       {{"sh", "-c", "ls; X_TOKEN='s3 cret' run"}, "sh -c ls; X_TOKEN='[redacted]' run"},
       {{"sh", "-c", "X_TOKEN=s3cret run"}, "sh -c X_TOKEN=[redacted]"},
       {{"a", R"({"password": "s3 cret", "n": 1})"}, R"(a {"password": "[redacted]", "n": 1})"},
       {{"a", "AKIAIOSFODNN7EXAMPLE"}, "a [redacted]"},
       {{"a", "--x=hf_abcdefghijklmnopqrstuvwx"}, "a --x=[redacted]"},
       {{"a", "--key", "sk-abcdefghijklmnopqrstuvwx"}, "a --key [redacted]"}}));

  CHECK(RedactedCommandLine(c.arguments) == c.line);
}

TEST_CASE("command line: what is no secret stays", "[process]") {
  const Arguments arguments = GENERATE(
      values<Arguments>({{"python3", "train.py", "--max-tokens=128", "--tokenizer", "gpt2"},
                         {"a", "--token-file=/run/secret.txt", "--num_tokens", "5"},
                         {"a", "--auth", "--port", "80"},
                         {"a", "--key", "value", "--keys=3", "sk-short"},
                         {"a", "http://host:80/x?n=1", "user@host:/path", "a:b"},
                         {"a", ""},
                         {}}));
  std::string joined;
  for (const auto& argument : arguments)
    joined += joined.empty() ? argument : " " + argument;

  CHECK(RedactedCommandLine(arguments) == joined);
}

TEST_CASE("command line: that of a real process is read and redacted", "[process]") {
  const ChildProcess child({"/bin/sh", "-c", "read line", "--password=s3cret"});

  const auto line = ReadRedactedCommandLine(child.pid());

  REQUIRE(line.ok());
  CHECK(line.value() == "/bin/sh -c read line --password=[redacted]");
}

TEST_CASE("command line: arguments end with NUL, the last perhaps not", "[process]") {
  CHECK(SplitArguments(std::string_view("a\0b c\0\0d", 8)) == Arguments{"a", "b c", "", "d"});
  CHECK(SplitArguments("").empty());
}

}  // namespace
}  // namespace gpuwhy
