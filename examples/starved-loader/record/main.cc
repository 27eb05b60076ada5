// SPDX-License-Identifier: Apache-2.0
// record_starved_loader FILE [SECONDS]: runs the workload and writes what it measured of itself.
#include <sys/prctl.h>

#include <charconv>
#include <cstdio>
#include <string>

#include "examples/starved-loader/record/trace_writer.h"

namespace gpuwhy::starved_loader {
namespace {

constexpr uint32_t kImageCount = 64;

Status Record(const std::string& path, int64_t duration_ns) {
  prctl(PR_SET_NAME, "trainer");
  std::vector<CompressedImage> images;
  for (uint32_t seed = 0; seed < kImageCount; ++seed)
    images.push_back(MakeImage(seed));

  const ClockOffset clock = MeasureClockOffset();
  // Forked before the device's thread exists: a child has only the thread that forks.
  std::vector<Worker> workers;
  for (int number = 0; number < kWorkerCount; ++number) {
    GPUWHY_ASSIGN_OR_RETURN(Worker worker, Worker::Start(number, images));
    workers.push_back(worker);
  }
  SoftwareDevice device(kBatchFloats);
  const Result<TrainerLog> trainer = Train(workers, device, duration_ns);
  for (Worker& worker : workers)
    worker.Stop();
  if (!trainer.ok()) return trainer.error();
  return WriteTrace(
      path, {.clock = clock, .trainer = trainer.value(), .device = device, .workers = workers});
}

}  // namespace
}  // namespace gpuwhy::starved_loader

int main(int argc, char** argv) {
  int64_t seconds = 8;
  if (argc == 3) {
    const std::string text = argv[2];
    std::from_chars(text.data(), text.data() + text.size(), seconds);
  }
  if (argc < 2 || argc > 3 || seconds <= 0) {
    std::fprintf(stderr, "usage: %s FILE [SECONDS]\n", argv[0]);
    return 2;
  }
  const auto status = gpuwhy::starved_loader::Record(argv[1], seconds * 1'000'000'000);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return 3;
}
