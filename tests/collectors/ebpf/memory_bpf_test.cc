// SPDX-License-Identifier: Apache-2.0
// Faults, disk requests and foreign readers of memory against what the kernel says of them.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/catch.h"
#include "tests/collectors/ebpf/recorded.h"

namespace gpuwhy {
namespace {

constexpr size_t kPage = 4096;

int64_t Faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

char* Map(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  return static_cast<char*>(memory);
}

void Touch(char* memory, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kPage)
    memory[at] = 1;
}

int64_t BooksOfIo(const std::string& wanted) {
  std::ifstream file("/proc/self/io");
  std::string name;
  for (int64_t bytes = 0; file >> name >> bytes;) {
    if (name == wanted + ":") return bytes;
  }
  return -1;
}

// Writes and reads a file around the page cache.
Numbers ReadAndWrite(const std::string& path) {
  constexpr size_t kBytes = 256 * kPage;
  void* buffer = nullptr;
  const int fd = open(path.c_str(), O_CREAT | O_RDWR | O_DIRECT, 0600);
  if (fd < 0 || posix_memalign(&buffer, kPage, kBytes) != 0) return {-1, -1};
  memset(buffer, 7, kBytes);
  const int64_t read_bytes = BooksOfIo("read_bytes");
  const int64_t write_bytes = BooksOfIo("write_bytes");
  for (int i = 0; i < 16; ++i) {
    if (pwrite(fd, buffer, kBytes, 0) < 0 || pread(fd, buffer, kBytes, 0) < 0) return {-1, -1};
  }
  return {BooksOfIo("read_bytes") - read_bytes, BooksOfIo("write_bytes") - write_bytes};
}

std::string CountOf(const std::string& kind, const std::string& what = "event_count") {
  return "SELECT coalesce(sum(" + what +
         "), 0) FROM latency l JOIN name n ON n.id = l.name_id "
         "WHERE l.source = 'host_event' AND n.text = '" +
         kind + "'";
}

}  // namespace

TEST_CASE("ebpf: page faults are counted as getrusage counts them", "[ebpf]") {
  const RecordedRun run = Record([] {
    const int64_t before = Faults();
    Touch(Map(20'000 * kPage), 20'000 * kPage);
    return Numbers{Faults() - before};
  });

  CHECK(run.numbers.at(0) >= 20'000);
  CHECK(static_cast<double>(run.Int(CountOf("fault"))) ==
        Approx(static_cast<double>(run.numbers.at(0))).epsilon(0.01));
}

TEST_CASE("ebpf: bytes read from and written to disks are those of /proc/PID/io", "[ebpf]") {
  const TempDir dir;
  RecordingSetup setup;
  setup.options.probes.uses_block_io_start = GENERATE(true, false);  // false: as before Linux 6.5
  const RecordedRun run = Record([&] { return ReadAndWrite(dir.File("data")); }, setup);
  if (run.numbers.at(0) <= 0) {
    WARN("skipped: the temporary directory is on no disk");
    return;
  }

  CHECK(static_cast<double>(run.Int(CountOf("block_read", "sum_bytes"))) ==
        Approx(static_cast<double>(run.numbers.at(0))).epsilon(0.01));
  CHECK(static_cast<double>(run.Int(CountOf("block_write", "sum_bytes"))) ==
        Approx(static_cast<double>(run.numbers.at(1))).epsilon(0.01));
  CHECK(run.Int("SELECT count(*) FROM off_cpu WHERE reason = 'io'") > 0);
}

TEST_CASE("ebpf: who walks the memory of a process is named, with the time it held the lock",
          "[ebpf]") {
  pid_t reader = 0;
  RecordingSetup setup;
  setup.meanwhile = [&](LiveRecording& recording) {
    if (reader != 0 || recording.Targets().empty()) return;
    const std::string path = "/proc/" + std::to_string(recording.Targets().front()) + "/smaps";
    reader = fork();
    if (reader == 0) {
      execlp("cp", "cp", path.c_str(), "/dev/null", nullptr);
      _exit(127);
    }
    waitpid(reader, nullptr, 0);
  };
  const RecordedRun run = Record(
      [&] {
        char* memory = Map(50'000 * kPage);
        Touch(memory, 50'000 * kPage);
        const timespec second{.tv_sec = 1, .tv_nsec = 0};
        nanosleep(&second, nullptr);
        return Numbers{};
      },
      setup);
  const std::string of_reader =
      " FROM host_event h JOIN thread o ON o.id = h.other_thread_id JOIN process r ON r.id = "
      "o.process_id JOIN thread t ON t.id = h.thread_id WHERE h.kind = 'foreign_mm_lock' AND r.pid "
      "= " +
      std::to_string(reader);

  CHECK(run.Int("SELECT count(*)" + of_reader) > 0);
  CHECK(run.Text("SELECT max(r.name)" + of_reader) == "cp");
  CHECK(run.Int("SELECT max(t.tid)" + of_reader) == run.pid);
  CHECK(run.Int("SELECT sum(h.duration_ns)" + of_reader) > 0);
}

}  // namespace gpuwhy
