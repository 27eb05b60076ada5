// SPDX-License-Identifier: Apache-2.0
#include "examples/starved-loader/record/worker.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "examples/starved-loader/record/sampler.h"
#include "examples/starved-loader/record/scheduling.h"

namespace gpuwhy::starved_loader {
namespace {

constexpr char kFree = 'f';
constexpr char kQuit = 'q';

struct Pipe {
  int read_fd = -1;
  int write_fd = -1;
};

Result<Pipe> MakePipe() {
  int fds[2];
  if (pipe(fds) != 0) return Unavailable("cannot make a pipe");
  return Pipe{.read_fd = fds[0], .write_fd = fds[1]};
}

bool SendByte(int fd, char byte) {
  return write(fd, &byte, 1) == 1;
}

struct Job {
  int number;
  std::span<const CompressedImage> images;
  int free_fd;
  int ready_fd;
};

// False: the trainer wants no more batches, or is gone.
bool WaitForSlot(int free_fd, const RunQueueClock& run_queue, WorkerLog& log) {
  const BlockingWait wait(run_queue);
  char byte = kQuit;
  if (read(free_fd, &byte, 1) != 1) return false;
  log.waits.Add(wait.Finish(kNoWaker));
  return byte == kFree;
}

}  // namespace

// The life of the child process. Not in the unnamed namespace: stacks show it by its name.
void RunLoader(const Job& job, Slots& slots, WorkerLog& log) {
  prctl(PR_SET_NAME, fmt::format("loader-{}", job.number).c_str());
  log.pid = getpid();
  log.start_ns = NowNs();
  if (!StartSampling(log).ok()) _exit(1);
  const RunQueueClock run_queue;
  PreemptionWatch watch(run_queue, log);
  for (int64_t count = 0; WaitForSlot(job.free_fd, run_queue, log); ++count) {
    const int64_t start_ns = NowNs();
    watch.Begin();
    MakeBatch(job.images, job.number + count * kWorkerCount,
              slots.floats[static_cast<size_t>(count) % kSlotsPerWorker], watch);
    log.batches.Add({.start_ns = start_ns, .duration_ns = NowNs() - start_ns});
    if (!SendByte(job.ready_fd, kFree)) break;
  }
  StopSampling();
  log.end_ns = NowNs();
  _exit(0);
}

Result<Worker> Worker::Start(int number, std::span<const CompressedImage> images) {
  Worker worker;
  GPUWHY_ASSIGN_OR_RETURN(worker.log_, MakeShared<WorkerLog>());
  GPUWHY_ASSIGN_OR_RETURN(worker.slots_, MakeShared<Slots>());
  GPUWHY_ASSIGN_OR_RETURN(const Pipe ready, MakePipe());
  GPUWHY_ASSIGN_OR_RETURN(const Pipe free_slots, MakePipe());
  worker.ready_fd_ = ready.read_fd;
  worker.free_fd_ = free_slots.write_fd;
  const Job job{.number = number,
                .images = images,
                .free_fd = free_slots.read_fd,
                .ready_fd = ready.write_fd};
  const pid_t pid = fork();
  if (pid < 0) return Unavailable("cannot fork a worker");
  if (pid == 0) RunLoader(job, *worker.slots_, *worker.log_);
  worker.log_->pid = pid;
  close(ready.write_fd);
  close(free_slots.read_fd);
  for (size_t i = 0; i < kSlotsPerWorker; ++i)
    worker.FreeSlot();
  return worker;
}

bool Worker::WaitForBatch() const {
  char byte = 0;
  return read(ready_fd_, &byte, 1) == 1;
}

std::span<const float> Worker::Batch(int64_t number) const {
  const auto slot = static_cast<size_t>(number / kWorkerCount) % kSlotsPerWorker;
  return slots_->floats[slot];
}

void Worker::FreeSlot() const {
  (void)SendByte(free_fd_, kFree);  // a worker that has died is noticed by WaitForBatch
}

void Worker::Stop() {
  (void)SendByte(free_fd_, kQuit);
  waitpid(log_->pid, nullptr, 0);
  close(free_fd_);
  close(ready_fd_);
}

}  // namespace gpuwhy::starved_loader
