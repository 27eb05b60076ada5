// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/catch.h"
#include "tests/examples/ground_truth.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

struct Run {
  std::string out;
  int exit_code = -1;
  GroundTruth truth;  // of the only process that made calls
};

Run RunWorkload(const std::string& command) {
  const TempDir dir;
  const std::string line = "LD_LIBRARY_PATH=" GPUWHY_SIMGPU_DIR " SIMGPU_LOG=" + dir.File("log") +
                           " TMPDIR=" + dir.File("") + " timeout 100 " + command;
  Run run;
  FILE* pipe = popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr)
    run.out += buffer;
  run.exit_code = pclose(pipe);
  for (const auto& entry : std::filesystem::directory_iterator(dir.File(""))) {
    if (entry.path().extension() == ".tsv") run.truth = ReadGroundTruth(entry.path());
  }
  return run;
}

const std::string kLoop = GPUWHY_SIMGPU_DIR "/training_loop ";
const std::string kTrain = "python3 " GPUWHY_SOURCE_DIR "/examples/simgpu/workloads/train.py ";

}  // namespace

TEST_CASE("simgpu: the training loop takes each batch and launches each kernel", "[simgpu]") {
  const std::string options =
      GENERATE("", "--handover pipe --pageable", "--graph", "--workers 0 --malloc-per-step 3",
               "--sync-every-kernels 1 --sync-every 0");
  const Run run = RunWorkload(
      kLoop + "--steps 6 --kernels-per-step 4 --batch-bytes 5000 --batch-cpu-ms 0.1 " + options);

  CHECK(run.exit_code == 0);
  CHECK(run.out.substr(0, 8) == "steps=6 ");
  const auto count = [&run](const char* engine) {
    return std::count_if(run.truth.ops.begin(), run.truth.ops.end(),
                         [engine](const TrueOp& op) { return op.engine == engine; });
  };
  CHECK(count("compute") == 24);
  CHECK(count("h2d") == 6);
}

TEST_CASE("simgpu: a slow loader leaves the device idle for as long as its batches take",
          "[simgpu]") {
  const Run run = RunWorkload(kLoop +
                              "--steps 40 --workers 1 --prefetch 1 --batch-cpu-ms 8 "
                              "--kernels-per-step 10 --kernel-us 200 --batch-bytes 1000");

  // 2 ms of kernels a step. At most two batches were there before the first kernel started, so
  // that there were at least 37 times 8 ms from its start to the end of the last one.
  CHECK(run.truth.ComputeIdleShare() >= 1 - (40 * 2.0) / (37 * 8.0));
}

TEST_CASE("simgpu: ranks of the training loop reduce together", "[simgpu]") {
  const Run run = RunWorkload(
      kLoop + "--ranks 2 --steps 5 --workers 1 --batch-cpu-ms 0.1 --kernels-per-step 2");

  CHECK(run.exit_code == 0);
  CHECK(run.out.find("steps=5 ", 8) != std::string::npos);
  CHECK(run.truth.CallsOf("ncclAllReduce").size() == 5);
}

TEST_CASE("simgpu: train.py takes each batch and launches each kernel", "[simgpu]") {
  const std::string options = GENERATE("", "--handover pipe --pageable", "--graph --workers 0",
                                       "--start-method spawn --restart-every 3");
  const Run run = RunWorkload(
      kTrain + "--steps 6 --kernels-per-step 4 --batch-bytes 5000 --batch-cpu-ms 0.1 " + options);

  CHECK(run.exit_code == 0);
  CHECK(run.out.substr(0, 8) == "steps=6 ");
  CHECK(run.truth.CallsOf("cudaMemcpyAsync").size() == 6);
  CHECK(std::count_if(run.truth.ops.begin(), run.truth.ops.end(),
                      [](const TrueOp& op) { return op.engine == "compute"; }) == 24);
}

TEST_CASE("simgpu: workloads say what they cannot do", "[simgpu]") {
  CHECK(RunWorkload(kLoop + "--read-file /nowhere 2>/dev/null").exit_code != 0);
  CHECK(RunWorkload(kLoop + "--ranks 2 --duration-s 1 2>/dev/null").exit_code != 0);
}

}  // namespace gpuwhy
