// SPDX-License-Identifier: Apache-2.0
// The recorder is no part of what it records, though it writes to the same disk.
#include <fcntl.h>
#include <unistd.h>

#include "tests/catch.h"
#include "tests/collectors/ebpf/flags.h"
#include "tests/collectors/ebpf/recorded.h"

namespace gpuwhy {
namespace {

constexpr size_t kMiB = 1U << 20U;

void WriteAndSync(const std::string& path, size_t mebibytes) {
  const std::string bytes(kMiB, 'x');
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  for (size_t i = 0; i < mebibytes; ++i)
    REQUIRE(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  fsync(fd);
  close(fd);
}

}  // namespace

TEST_CASE("self: what the recorder writes to the disk is never the program's", "[ebpf]") {
  const TempDir files;
  // Who syncs a new file syncs its folder too, and would truly wait for the other there.
  const TempDir folder_of_recorder;
  const Flag written(files, "written");
  RecordingSetup setup;
  setup.meanwhile = [&](LiveRecording& recording) {
    if (written.IsUp()) return;
    WriteAndSync(folder_of_recorder.File("of_recorder"), 16);
    REQUIRE(recording.EndSecond().ok());
    written.Raise();
  };
  const RecordedRun run = Record(
      [&] {
        WriteAndSync(files.File("of_target"), 1);
        written.Wait();
        WriteAndSync(files.File("of_target"), 1);
        return Numbers{};
      },
      setup);
  const std::string own = std::to_string(getpid());

  const int64_t written_bytes =
      run.Int("SELECT sum(sum_bytes) FROM latencies WHERE name = 'block_write'");
  if (written_bytes == 0) WARN("the folder of temporary files is on no disk: not tested");
  // Some of the journal may be written by the program itself; sixteen mebibytes are not.
  CHECK(written_bytes < static_cast<int64_t>(4 * kMiB));
  CHECK(run.Int("SELECT count(*) FROM host_events WHERE pid = " + own) == 0);
  CHECK(run.Int("SELECT count(*) FROM latencies WHERE pid = " + own) == 0);
  CHECK(run.Int("SELECT count(*) FROM off_cpus WHERE pid = " + own) == 0);
  CHECK(run.Int("SELECT count(*) FROM off_cpu o JOIN thread t ON t.id = o.waker_thread_id JOIN "
                "process p ON p.id = t.process_id WHERE p.pid = " +
                own) == 0);
}

}  // namespace gpuwhy
