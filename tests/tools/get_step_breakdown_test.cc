// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/device_trace.h"
#include "tools/analysis/find_steps.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kTool = "get_step_breakdown";

void AddRange(TraceBuilder& trace, int64_t thread, std::string_view name, int64_t start_ns,
              int64_t duration_ns, std::string_view category) {
  Recorder& recorder = trace.recorder();
  recorder.Add(RangeRow{.start_ns = kTraceStart + start_ns,
                        .duration_ns = duration_ns,
                        .thread_id = thread,
                        .name_id = recorder.InternName(name),
                        .category = category,
                        .sequence_id = {},
                        .shapes = {}});
}

// One step of `duration_ns` whose first `loading_ns` load data: then 10 forward, 20 backward (in
// another thread), 5 in a synchronisation inside of an operator, 10 of the optimizer.
void AddStep(TraceBuilder& trace, int64_t number, int64_t start_ns, int64_t loading_ns,
             int64_t duration_ns) {
  const int64_t thread = trace.Thread(10, 10);
  const int64_t engine = trace.Thread(10, 11);
  int64_t at_ns = start_ns;
  AddRange(trace, thread, "ProfilerStep#" + std::to_string(number), start_ns, duration_ns,
           "user_annotation");
  AddRange(trace, thread, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at_ns,
           loading_ns, "user_annotation");
  at_ns += loading_ns;
  AddRange(trace, thread, "aten::linear", at_ns, 10, "cpu_op");
  AddRange(trace, thread, "aten::addmm", at_ns + 2, 3, "cpu_op");
  AddRange(trace, engine, "autograd::engine::evaluate_function: AddmmBackward0", at_ns + 10, 20,
           "cpu_op");
  AddRange(trace, thread, "aten::item", at_ns + 30, 5, "cpu_op");
  AddLaunch(trace, {thread, at_ns + 30, 5, 900 + number, "cudaStreamSynchronize"});
  AddRange(trace, thread, "Optimizer.step#SGD.step", at_ns + 35, 10, "user_annotation");
  AddLaunch(trace, {thread, at_ns + 1, 2, number});
  AddOp(trace, 10, {"gemm", at_ns + 5, 20, number});
  AddOp(trace, 10, {"ncclDevKernel_AllReduce", at_ns + 20, 15, number});
}

void FillEven(TraceBuilder& trace) {
  for (int64_t i = 0; i < 5; ++i)
    AddStep(trace, i, i * 100, i == 3 ? 45 : 15, i == 3 ? 99 : 70);
}

}  // namespace

TEST_CASE("get_step_breakdown: phases are exclusive and sum to the step", "[tools]") {
  const BuiltTrace trace(&FillEven);

  const Json answer = trace.AskJson(kTool, {{"limit", 10}});
  const Json step = answer["steps"][0];

  REQUIRE(answer["steps"].size() == 5);
  CHECK(step["step"] == "ProfilerStep#0");
  CHECK(step["duration_ns"] == 70);
  CHECK(step["data_loading_ns"] == 15);
  CHECK(step["forward_ns"] == 10);
  CHECK(step["backward_ns"] == 20);
  CHECK(step["device_wait_ns"] == 5);
  CHECK(step["optimizer_ns"] == 10);
  CHECK(step["other_ns"] == 10);
  CHECK(step["device_busy_ns"] == 30);
  CHECK(step["comm_exposed_ns"] == 10);
  CHECK(step["device_op_count"] == 2);
}

TEST_CASE("get_step_breakdown: a slow step is held against the median, with what grew", "[tools]") {
  const BuiltTrace trace(&FillEven);

  const Json answer = trace.AskJson(kTool);

  CHECK(answer["summary"]["median_ns"] == 70);
  CHECK(answer["summary"]["max_ns"] == 99);
  REQUIRE(answer["slow_steps"].size() == 1);
  CHECK(answer["slow_steps"][0]["step"] == "ProfilerStep#3");
  CHECK(answer["slow_steps"][0]["over_ns"] == 29);
  CHECK(answer["slow_steps"][0]["phase"] == "data loading");
  CHECK(answer["slow_steps"][0]["phase_over_ns"] == 30);
  CHECK(answer["headline"].get<std::string>().find("the slowest ProfilerStep#3 took 99 ns") !=
        std::string::npos);
}

TEST_CASE("get_step_breakdown: a window takes whole steps only", "[tools]") {
  const BuiltTrace trace(&FillEven);

  const Json answer = trace.AskJson(kTool, {{"since", "50ns"}, {"until", "380ns"}});

  CHECK(answer["summary"]["step_count"] == 2);
}

TEST_CASE("get_step_breakdown: a range that repeats over the time of a thread is the step",
          "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    for (int64_t i = 0; i < 4; ++i) {
      AddRange(builder, thread, "train iter " + std::to_string(i), i * 100, 60, "nvtx");
      AddRange(builder, thread, "forward", i * 100 + 5, 50, "nvtx");
      AddRange(builder, thread, "aten::add", i * 100 + 5, 90, "nvtx");
    }
  });

  const Json found = trace.AskJson(kTool);
  const Json named = trace.AskJson(kTool, {{"range", "forward"}});

  CHECK(found["summary"]["step_source"] == "train iter #");
  CHECK(found["summary"]["step_count"] == 4);
  CHECK(named["summary"]["step_source"] == "forward");
  CHECK(named["summary"]["median_ns"] == 50);
}

TEST_CASE("get_step_breakdown: ranges that overlap are no steps, optimizers end them", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    for (int64_t i = 0; i < 4; ++i) {
      AddRange(builder, thread, "request", i * 100, 150, "nvtx");
      AddRange(builder, thread, "Optimizer.step#Adam.step", i * 100 + 80, 10, "user_annotation");
    }
  });

  const Json answer = trace.AskJson(kTool);

  CHECK(answer["summary"]["step_count"] == 3);
  CHECK(answer["summary"]["median_ns"] == 100);
  CHECK(answer["steps"][0]["optimizer_ns"] == 10);
}

TEST_CASE("get_step_breakdown: without steps it says how to mark them", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    AddOp(builder, 10, {"k", 0, 10});
    AddOp(builder, 10, {"k", 20, 10});
  });

  const Answer answer = trace.Ask(kTool);

  CHECK(answer.headline.find("No steps were found") == 0);
  CHECK(trace.Run(kTool, {{"range", "nothing"}}).error().message.find("no range is called") == 0);
}

TEST_CASE("steps: numbers in a name do not make another name", "[tools]") {
  CHECK(WithoutNumbers("step 12 of 900") == "step # of #");
  CHECK(WithoutNumbers("") == "");
  CHECK(WithoutNumbers("7up") == "#up");
}

}  // namespace gpuwhy
