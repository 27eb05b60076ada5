// SPDX-License-Identifier: Apache-2.0
// Values of the system while a real process uses it up: CPU time, and a quota of a cgroup (v1).
#include <sched.h>
#include <unistd.h>

#include "collectors/process/read_file.h"
#include "collectors/system/cgroup_files.h"
#include "tests/catch.h"
#include "tests/collectors/ebpf/flags.h"
#include "tests/collectors/ebpf/recorded.h"

namespace gpuwhy {
namespace {

int64_t OwnCpuNs() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void Burn(int64_t cpu_ns) {
  for (const int64_t end_ns = OwnCpuNs() + cpu_ns; OwnCpuNs() < end_ns;) {
  }
}

bool WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

// A cgroup of the CPU controller, version 1, with a fifth of a core.
class SmallCgroup {
 public:
  SmallCgroup() : path_("/gpuwhy-test-" + std::to_string(getpid())) {
    is_made_ = std::filesystem::exists(kTop + std::string("/cpu.cfs_quota_us")) &&
               std::filesystem::create_directory(kTop + path_) &&
               WriteText(kTop + path_ + "/cpu.cfs_quota_us", "20000");
  }
  ~SmallCgroup() {
    if (is_made_) rmdir((kTop + path_).c_str());
  }
  SmallCgroup(const SmallCgroup&) = delete;
  SmallCgroup& operator=(const SmallCgroup&) = delete;

  bool is_made() const { return is_made_; }
  const std::string& path() const { return path_; }
  void Take(pid_t pid) const {
    REQUIRE(WriteText(kTop + path_ + "/cgroup.procs", std::to_string(pid)));
  }
  CpuBandwidth Stat() const {
    const auto text = ReadWholeFile(kTop + path_ + "/cpu.stat");
    REQUIRE(text.ok());
    const auto stat = ParseCpuBandwidth(text.value());
    REQUIRE(stat);
    return *stat;
  }

 private:
  static constexpr const char* kTop = "/sys/fs/cgroup/cpu";
  std::string path_;
  bool is_made_ = false;
};

}  // namespace

TEST_CASE("system: what a cgroup was throttled is rows and roll-ups that sum to its cpu.stat",
          "[ebpf]") {
  const SmallCgroup cgroup;
  if (!cgroup.is_made()) {
    WARN("no cgroup v1 with a CPU controller here: not tested");
    return;
  }
  const TempDir flags;
  const Flag begin(flags, "begin");
  const Flag burnt(flags, "burnt");
  const Flag told(flags, "told");
  int64_t least_ns = 0;
  int64_t most_ns = 0;
  RecordingSetup setup;
  setup.meanwhile = [&](LiveRecording& recording) {
    if (!begin.IsUp()) {
      cgroup.Take(recording.Targets().at(0));
      REQUIRE(recording.EndSecond().ok());  // sees the cgroup before anything happens in it
      begin.Raise();
    }
    if (!burnt.IsUp() || told.IsUp()) return;
    least_ns = cgroup.Stat().throttled_ns;
    REQUIRE(recording.EndSecond().ok());
    most_ns = cgroup.Stat().throttled_ns;
    told.Raise();
  };
  const RecordedRun run = Record(
      [&] {
        begin.Wait();
        Burn(500'000'000);
        burnt.Raise();
        told.Wait();
        return Numbers{};
      },
      setup);

  const int64_t sum_ns =
      run.Int("SELECT sum(duration_ns) FROM host_events WHERE kind = 'throttle' AND detail = '" +
              cgroup.path() + "'");
  CHECK(least_ns > 0);
  CHECK(sum_ns >= least_ns);
  CHECK(sum_ns <= most_ns);
  CHECK(run.Int("SELECT sum(sum_ns) FROM latencies WHERE name = 'throttle'") == sum_ns);
  CHECK(run.Int("SELECT sum(value) FROM counter_value v JOIN counter c ON c.id = v.counter_id "
                "WHERE c.name = 'system.cgroup[" +
                cgroup.path() + "].throttled_ns'") == sum_ns);
  CHECK(run.Int("SELECT max(value) FROM counter_value v JOIN counter c ON c.id = v.counter_id "
                "WHERE c.name = 'system.cgroup[" +
                cgroup.path() + "].cpu_quota_pct'") == 20);
}

TEST_CASE("system: CPU time of a process that computes on one core is found with it and that core",
          "[ebpf]") {
  const TempDir flags;
  const Flag burnt(flags, "burnt");
  const Flag told(flags, "told");
  RecordingSetup setup;
  setup.meanwhile = [&](LiveRecording& recording) {
    if (!burnt.IsUp() || told.IsUp()) return;
    REQUIRE(recording.EndSecond().ok());
    told.Raise();
  };
  const RecordedRun run = Record(
      [&] {
        cpu_set_t first;
        CPU_ZERO(&first);
        CPU_SET(0, &first);
        sched_setaffinity(0, sizeof first, &first);
        Burn(1'500'000'000);
        burnt.Raise();
        told.Wait();
        return Numbers{OwnCpuNs()};
      },
      setup);
  // Shares of an interval that ends at their time and begins at the value before.
  const std::string seconds =
      "WITH moment AS (SELECT time_ns, time_ns - lag(time_ns) OVER (ORDER BY time_ns) AS elapsed "
      "FROM counter_value v JOIN counter c ON c.id = v.counter_id WHERE c.name = "
      "'system.load_avg') ";
  const std::string values =
      " FROM counter_value v JOIN counter c ON c.id = v.counter_id JOIN moment USING (time_ns) ";

  const int64_t process_ns = run.Int(
      seconds + "SELECT CAST(sum(value * elapsed / 100) AS INTEGER)" + values +
      "JOIN process p ON p.id = c.process_id WHERE c.name = 'process.cpu_pct' AND p.pid = " +
      std::to_string(run.pid));
  const int64_t busy_ns = run.Int(
      seconds + "SELECT CAST(sum(value * elapsed / 100) AS INTEGER)" + values +
      "WHERE c.name IN ('system.core[0].user_pct', 'system.core[0].system_pct', "
      "'system.core[0].softirq_pct', 'system.core[0].irq_pct', 'system.core[0].steal_pct')");
  CHECK(static_cast<double>(process_ns) ==
        Approx(static_cast<double>(run.numbers.at(0))).margin(60'000'000));
  CHECK(static_cast<double>(busy_ns) >= 0.85 * static_cast<double>(process_ns));
  CHECK(run.Int("SELECT count(*) FROM (SELECT sum(value) AS total FROM counter_value v JOIN "
                "counter c ON c.id = v.counter_id WHERE c.name LIKE 'system.cpu\\_%\\_pct' ESCAPE "
                "'\\' GROUP BY time_ns) WHERE abs(total - 100) > 0.001") == 0);
}

TEST_CASE("system: interrupts of a core take time, and less than there was", "[ebpf]") {
  const RecordedRun run = Record([] {
    Burn(200'000'000);
    return Numbers{};
  });
  const std::string of_all =
      " FROM counter_value v JOIN counter c ON c.id = v.counter_id WHERE c.name LIKE "
      "'system.core[%].irq_ns'";

  CHECK(run.Int("SELECT CAST(sum(value) AS INTEGER)" + of_all) > 0);
  CHECK(run.Int("SELECT CAST(max(value) AS INTEGER)" + of_all) <
        run.Int("SELECT end_ns - start_ns FROM capture"));
}

}  // namespace gpuwhy
