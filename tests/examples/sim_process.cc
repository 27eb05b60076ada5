// SPDX-License-Identifier: Apache-2.0
#include "tests/examples/sim_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "examples/simgpu/runtime/libcudart.h"
#include "tests/catch.h"

namespace gpuwhy {
namespace {

constexpr unsigned kDeadlineS = 60;

}  // namespace

SimProcess::SimProcess(const std::function<Numbers()>& body, const Environment& environment) {
  int fds[2];
  REQUIRE(pipe(fds) == 0);
  read_fd_ = fds[0];
  write_fd_ = fds[1];
  pid_ = fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) Run(body, environment);
  close(write_fd_);
}

void SimProcess::Run(const std::function<Numbers()>& body, const Environment& environment) {
  alarm(kDeadlineS);
  setenv("SIMGPU_LOG", dir_.File("log").c_str(), 1);
  setenv("SIMGPU_CONTEXT_NS", "0", 1);
  setenv("SIMGPU_FIRST_LAUNCH_NS", "0", 1);
  for (const auto& [name, value] : environment)
    setenv(name.c_str(), value.c_str(), 1);
  const Numbers numbers = body();
  simgpuFlushLog();
  const size_t bytes = numbers.size() * sizeof(int64_t);
  const bool is_told = write(write_fd_, numbers.data(), bytes) == static_cast<ssize_t>(bytes);
  _exit(is_told ? 0 : 1);
}

std::string SimProcess::log_path() const {
  return dir_.File("log." + std::to_string(pid_) + ".tsv");
}

SimProcess::Outcome SimProcess::Wait() {
  Outcome outcome;
  for (int64_t number = 0; read(read_fd_, &number, sizeof number) == sizeof number;)
    outcome.numbers.push_back(number);
  close(read_fd_);
  int status = -1;
  REQUIRE(waitpid(pid_, &status, 0) == pid_);
  REQUIRE(status == 0);
  // A process that made no call wrote no log.
  if (std::filesystem::exists(log_path())) outcome.truth = ReadGroundTruth(log_path());
  return outcome;
}

SimProcess::Outcome InProcess(const std::function<Numbers()>& body,
                              const Environment& environment) {
  SimProcess process(body, environment);
  return process.Wait();
}

}  // namespace gpuwhy
