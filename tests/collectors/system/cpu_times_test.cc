// SPDX-License-Identifier: Apache-2.0
// CPU times of cores and of processes, from the literal text of their files.
#include "collectors/system/cpu_times.h"

#include "collectors/system/core_label.h"
#include "collectors/system/load_average.h"
#include "collectors/system/process_cpu.h"
#include "tests/catch.h"

namespace gpuwhy {

TEST_CASE("cpu times: each core's line is read, that of all cores is not", "[system]") {
  const auto cores = ParseCpuTicks(
      "cpu  3474816 450854 982628 1866602 7693 0 4428 0 0 0\n"
      "cpu0 100 20 30 400 5 6 7 8 0 0\n"
      "cpu17 1 2 3 4 5 6 7 8 9 9\n"
      "intr 18341661 0 0\n");

  REQUIRE(cores.size() == 2);
  CHECK(cores.at(0).ticks == std::array<int64_t, 7>{120, 30, 400, 5, 6, 7, 8});
  CHECK(cores.at(17).ticks[kCpuUser] == 3);
  CHECK(cores.at(0).Total() == 576);
  CHECK(cores.at(0).Busy() == 171);
}

TEST_CASE("cpu times: kernels without the later columns are read, malformed lines are not",
          "[system]") {
  CHECK(ParseCpuTicks("cpu0 1 2 3 4\n").at(0).Total() == 10);
  CHECK(ParseCpuTicks("cpu0 1 2 3\n").empty());
  CHECK(ParseCpuTicks("cpu0 1 2 x 4 5\n").empty());
  CHECK(ParseCpuTicks("cpu0 1 2 -3 4 5\n").empty());
  CHECK(ParseCpuTicks("cpu0 99999999999999999999 2 3 4\n").empty());
  CHECK(ParseCpuTicks("cpux 1 2 3 4\n").empty());
  CHECK(ParseCpuTicks("cpu0").empty());
  CHECK(ParseCpuTicks("").empty());
}

TEST_CASE("cpu times: a part that went back has not grown", "[system]") {
  const CpuTicks before{{10, 10, 10, 50, 0, 0, 0}};
  const CpuTicks now{{15, 10, 20, 40, 0, 0, 0}};

  CHECK(now.Since(before).ticks == std::array<int64_t, 7>{5, 0, 10, 0, 0, 0, 0});
}

TEST_CASE("cores: those from number 64 on share one series", "[system]") {
  CHECK(CoreLabel(SeriesOf(63)) == "system.core[63]");
  CHECK(CoreLabel(SeriesOf(64)) == "system.core[64+]");
  CHECK(CoreLabel(SeriesOf(500)) == "system.core[64+]");
}

TEST_CASE("process cpu: utime and stime are found behind any name", "[system]") {
  const std::string numbers = " S 1 42 42 0 -1 4194304 100 0 0 0 250 50 7 8 20 0 1 0 12345 0\n";

  CHECK(ParseCpuNs("42 (a) b) R (x)" + numbers, 100) == 3'000'000'000);
  CHECK(ParseCpuNs("42 ()" + numbers, 100) == 3'000'000'000);
  CHECK_FALSE(ParseCpuNs("42 (cut) S 1 42 42 0 -1 4194304 100 0 0 0 250", 100));
  CHECK_FALSE(ParseCpuNs("42 (cut", 100));
  CHECK_FALSE(ParseCpuNs("", 100));
}

TEST_CASE("load average: the first number and the runnable threads", "[system]") {
  const auto load = ParseLoadAverage("4.93 3.58 4.85 7/116 27717\n");

  REQUIRE(load);
  CHECK(load->minute == Approx(4.93));
  CHECK(load->runnable_count == 7);
  for (const char* text : {"", "4.93", "4.93 3.58 4.85", "4.93 3.58 4.85 7", "a b c 7/8 9"}) {
    CHECK_FALSE(ParseLoadAverage(text));
  }
}

}  // namespace gpuwhy
