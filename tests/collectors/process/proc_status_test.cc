// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/proc_status.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "collectors/process/process_list.h"
#include "tests/catch.h"
#include "tests/support/child_process.h"

namespace gpuwhy {
namespace {

int64_t BootTimeNs() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

bool Contains(const Result<std::vector<pid_t>>& pids, pid_t pid) {
  return pids.ok() &&
         std::find(pids.value().begin(), pids.value().end(), pid) != pids.value().end();
}

TEST_CASE("proc status: a name with parentheses and spaces does not shift the fields",
          "[process]") {
  const auto stat = ParseStat(
      "42 (a) R 1 (b) S 7 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 999 5 0\n", 100);

  REQUIRE(stat);
  CHECK(stat->name == "a) R 1 (b");
  CHECK(stat->parent_pid == 7);
  CHECK(stat->start_ns == 123'450'000'000);
}

TEST_CASE("proc status: text of another form is refused", "[process]") {
  const std::string text =
      GENERATE(as<std::string>(), "", "42", "42 (a", "42 (a) ", "42 (a) S", "42 (a) S x 1",
               "42 (a) S 7 42 42", "42 (a) S 7 42 42 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 -5 9");
  INFO(text);

  CHECK_FALSE(ParseStat(text, 100));
}

TEST_CASE("proc status: a child has our pid as parent and started after us", "[process]") {
  const int64_t before_ns = BootTimeNs();
  const ChildProcess child([] { return prctl(PR_SET_NAME, "a) (b c") == 0; });
  const auto own = ReadStat(getpid());
  const auto stat = ReadStat(child.pid());

  REQUIRE(child.ok());
  REQUIRE(own.ok());
  REQUIRE(stat.ok());
  CHECK(stat.value().name == "a) (b c");
  CHECK(stat.value().parent_pid == getpid());
  CHECK(stat.value().start_ns >= own.value().start_ns);
  CHECK(stat.value().start_ns >= before_ns - 20'000'000);  // two ticks
  CHECK(stat.value().start_ns <= BootTimeNs());
}

TEST_CASE("proc status: threads are listed with their names", "[process]") {
  const ChildProcess child([] {
    std::thread([] {
      pthread_setname_np(pthread_self(), "pt_data_worker");
      while (true)
        pause();
    }).detach();
    const auto has_both = [] {
      const auto threads = ReadThreads(getpid());
      return threads.ok() && threads.value().size() == 2 &&
             threads.value()[1].name == "pt_data_worker";
    };
    for (int64_t end_ns = BootTimeNs() + 5'000'000'000; !has_both() && BootTimeNs() < end_ns;) {
      sched_yield();
    }
    return has_both();
  });

  const auto threads = ReadThreads(child.pid());

  CHECK(child.ok());
  REQUIRE(threads.ok());
  REQUIRE(threads.value().size() == 2);
  CHECK(threads.value()[0].tid == child.pid());
  CHECK(threads.value()[1].name == "pt_data_worker");
}

TEST_CASE("proc status: a fork is in our mount namespace and is found by name and parent",
          "[process]") {
  const std::string name = fmt::format("gw{}", getpid());
  const ChildProcess child([&] { return prctl(PR_SET_NAME, name.c_str()) == 0; });

  CHECK(ReadMountNamespace(child.pid()).value() == ReadMountNamespace(getpid()).value());
  CHECK(PidsOfName(name).value() == std::vector<pid_t>{child.pid()});
  CHECK(Contains(DescendantsOf(getpid()), child.pid()));
  CHECK(Contains(DescendantsOf(getppid()), child.pid()));
  CHECK_FALSE(Contains(DescendantsOf(child.pid()), child.pid()));
  CHECK(Contains(PidsOfCgroup("/"), child.pid()));
  CHECK(PidsOfCgroup("/no/such/group").value().empty());
}

TEST_CASE("proc status: a name is compared up to what the kernel keeps of it", "[process]") {
  const ChildProcess child([] { return prctl(PR_SET_NAME, "gpuwhy-very-long-name") == 0; });

  CHECK(Contains(PidsOfName("gpuwhy-very-long-name"), child.pid()));
  CHECK_FALSE(Contains(PidsOfName("gpuwhy-very"), child.pid()));
}

TEST_CASE("proc status: an ended process is not found", "[process]") {
  ChildProcess child([] { return true; });
  const pid_t pid = child.pid();
  child.End();

  CHECK(ReadStat(pid).error().code == ErrorCode::kNotFound);
  CHECK(ReadThreads(pid).error().code == ErrorCode::kNotFound);
  CHECK(ReadMountNamespace(pid).error().code == ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gpuwhy
