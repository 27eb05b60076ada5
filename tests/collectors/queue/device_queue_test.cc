// SPDX-License-Identifier: Apache-2.0
// What calls prove about the device's queue, from literal sequences of calls.
#include "collectors/queue/device_queue.h"

#include <vector>

#include "tests/catch.h"

namespace gpuwhy {
namespace {

// Each call takes 10 ns from its instant on; its row id is its position.
class Calls {
 public:
  Calls& Add(QueueRole role, int64_t start_ns, int64_t stream = 0, int64_t event = 0) {
    queue_.Add({role, start_ns, start_ns + 10, stream, event, ++row_id_});
    return *this;
  }
  // In nanoseconds, start and end of each stretch.
  std::vector<std::pair<int64_t, int64_t>> Finish() {
    queue_.Finish();
    return std::move(stretches_);
  }
  const std::vector<QueueStretch>& found() const { return found_; }

 private:
  std::vector<std::pair<int64_t, int64_t>> stretches_;
  std::vector<QueueStretch> found_;
  int64_t row_id_ = 0;
  DeviceQueue queue_{[this](const QueueStretch& stretch) {
    stretches_.emplace_back(stretch.start_ns, stretch.end_ns);
    found_.push_back(stretch);
  }};
};

using Stretches = std::vector<std::pair<int64_t, int64_t>>;

}  // namespace

TEST_CASE("device queue: work lasts from the first launch to the return of the wait", "[queue]") {
  Calls calls;
  calls.Add(QueueRole::kSubmit, 100).Add(QueueRole::kSubmit, 200);
  calls.Add(QueueRole::kWaitForStream, 300).Add(QueueRole::kSubmit, 500);
  calls.Add(QueueRole::kWaitForDevice, 600);

  CHECK(calls.Finish() == Stretches{{100, 310}, {500, 610}});
  CHECK(calls.found().at(0).first_call_id == 1);
  CHECK(calls.found().at(0).last_call_id == 3);
}

TEST_CASE("device queue: a wait for one stream proves nothing of another", "[queue]") {
  Calls calls;
  calls.Add(QueueRole::kSubmit, 100, 1).Add(QueueRole::kSubmit, 200, 2);
  calls.Add(QueueRole::kWaitForStream, 300, 1).Add(QueueRole::kWaitForStream, 400, 2);

  CHECK(calls.Finish() == Stretches{{100, 410}});
}

TEST_CASE("device queue: an event stands for what its stream held when it was recorded",
          "[queue]") {
  Calls calls;
  calls.Add(QueueRole::kSubmit, 100, 1).Add(QueueRole::kRecordEvent, 150, 1, 7);
  SECTION("nothing came later") {
    calls.Add(QueueRole::kWaitForEvent, 300, 0, 7);
    CHECK(calls.Finish() == Stretches{{100, 310}});
  }
  SECTION("more work came later") {
    calls.Add(QueueRole::kSubmit, 200, 1).Add(QueueRole::kWaitForEvent, 300, 0, 7);
    CHECK(calls.Finish() == Stretches{{100, 310}});  // ends with the last call, unproven
    CHECK_FALSE(calls.found().at(0).last_call_id.has_value());
  }
}

TEST_CASE("device queue: a stream that waited for an event proves the other stream's work too",
          "[queue]") {
  Calls calls;
  calls.Add(QueueRole::kSubmit, 100, 1).Add(QueueRole::kRecordEvent, 120, 1, 7);
  calls.Add(QueueRole::kStreamWaits, 140, 2, 7).Add(QueueRole::kSubmit, 160, 2);
  calls.Add(QueueRole::kWaitForStream, 300, 2);

  CHECK(calls.Finish() == Stretches{{100, 310}});
  CHECK(calls.found().at(0).last_call_id.has_value());
}

TEST_CASE("device queue: what a graph capture notes is not work", "[queue]") {
  Calls calls;
  calls.Add(QueueRole::kBeginCapture, 100, 1).Add(QueueRole::kSubmit, 120, 1);
  calls.Add(QueueRole::kRecordEvent, 130, 1, 7).Add(QueueRole::kStreamWaits, 140, 2, 7);
  calls.Add(QueueRole::kSubmit, 150, 2).Add(QueueRole::kEndCapture, 160, 1);
  CHECK(calls.found().empty());
  calls.Add(QueueRole::kSubmit, 200, 1).Add(QueueRole::kWaitForStream, 300, 1);

  CHECK(calls.Finish() == Stretches{{200, 310}});
}

TEST_CASE("device queue: a launch of another thread during a wait is not covered by it",
          "[queue]") {
  Calls calls;
  calls.Add(QueueRole::kSubmit, 100, 1);
  // Began after the wait did, and returned before it.
  calls.Add(QueueRole::kSubmit, 305, 1).Add(QueueRole::kWaitForStream, 300, 1);
  calls.Add(QueueRole::kWaitForStream, 400, 1);

  CHECK(calls.Finish() == Stretches{{100, 410}});
}

TEST_CASE("device queue: a blocking copy finds its stream empty when it returns", "[queue]") {
  Calls calls;
  calls.Add(QueueRole::kSubmit, 100).Add(QueueRole::kSubmitAndWait, 200);

  CHECK(calls.Finish() == Stretches{{100, 210}});
}

TEST_CASE("device queue: names of calls have the role that CUDA documents", "[queue]") {
  const auto [name, role] =
      GENERATE(table<const char*, QueueRole>({{"cudaLaunchKernel", QueueRole::kSubmit},
                                              {"cuLaunchKernelEx", QueueRole::kSubmit},
                                              {"cudaGraphLaunch_ptsz", QueueRole::kSubmit},
                                              {"cudaMemcpyAsync", QueueRole::kSubmit},
                                              {"cuMemcpyHtoDAsync_v2", QueueRole::kSubmit},
                                              {"cudaMemsetAsync", QueueRole::kSubmit},
                                              {"ncclAllReduce", QueueRole::kSubmit},
                                              {"cudaMemcpy", QueueRole::kSubmitAndWait},
                                              {"cuMemcpyDtoH_v2", QueueRole::kSubmitAndWait},
                                              {"cudaStreamSynchronize", QueueRole::kWaitForStream},
                                              {"cudaDeviceSynchronize", QueueRole::kWaitForDevice},
                                              {"cuCtxSynchronize", QueueRole::kWaitForDevice},
                                              {"cudaEventSynchronize", QueueRole::kWaitForEvent},
                                              {"cudaEventRecordWithFlags", QueueRole::kRecordEvent},
                                              {"cudaStreamWaitEvent", QueueRole::kStreamWaits},
                                              {"cudaStreamBeginCapture", QueueRole::kBeginCapture},
                                              {"cudaStreamEndCapture", QueueRole::kEndCapture},
                                              {"cudaMalloc", QueueRole::kNone},
                                              {"cudaEventElapsedTime", QueueRole::kNone}}));
  INFO(name);
  CHECK(QueueRoleOf(name) == role);
}

}  // namespace gpuwhy
