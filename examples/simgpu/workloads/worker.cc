// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/workloads/worker.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "examples/simgpu/workloads/batch.h"

namespace gpuwhy::simgpu {
namespace {

bool ReadAll(const UniqueFd& fd, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = read(fd.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(got));
  }
  return true;
}

bool WriteAll(const UniqueFd& fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return true;
}

// One end of a pipe each.
bool MakePipe(UniqueFd& read_end, UniqueFd& write_end) {
  int fds[2];
  if (pipe(fds) != 0) return false;
  read_end = UniqueFd(fds[0]);
  write_end = UniqueFd(fds[1]);
  return true;
}

}  // namespace

Result<Worker> Worker::Start(const LoaderOptions& options, int number) {
  Worker worker;
  worker.options_ = options;
  worker.number_ = number;
  UniqueFd job_fd;
  UniqueFd result_fd;
  GPUWHY_RETURN_IF_ERROR(worker.MakeChannels(job_fd, result_fd));
  worker.pid_ = fork();
  if (worker.pid_ < 0) return Unavailable("cannot fork a loader process");
  if (worker.pid_ == 0) worker.Serve(job_fd, result_fd);
  for (int slot = 0; slot < options.prefetch; ++slot)
    worker.Release();
  worker.taken_count_ = 0;
  return worker;
}

Status Worker::MakeChannels(UniqueFd& job_fd, UniqueFd& result_fd) {
  if (!MakePipe(job_fd, free_fd_) || !MakePipe(ready_fd_, result_fd))
    return Unavailable("cannot make a pipe to a loader process");
  const size_t bytes = options_.batch_bytes * static_cast<size_t>(options_.prefetch);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Unavailable("no memory for the batches of a loader process");
  slots_ = static_cast<char*>(memory);
  return {};
}

std::span<char> Worker::SlotOf(int64_t count) const {
  const auto slot = static_cast<size_t>(count % options_.prefetch);
  return {slots_ + slot * options_.batch_bytes, options_.batch_bytes};
}

// The life of the child process. It must not outlive the trainer, nor keep its pipe ends open.
void Worker::Serve(const UniqueFd& job_fd, const UniqueFd& result_fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, fmt::format("loader-{}", number_).c_str());
  free_fd_.Close();
  ready_fd_.Close();
  auto maker = BatchMaker::Make(options_);
  Status status = maker.ok() ? Status() : maker.error();
  char byte = 0;
  for (int64_t count = 0; status.ok() && ReadAll(job_fd, {&byte, 1}); ++count)
    status = MakeNext(maker.value(), count, result_fd);
  if (!status.ok()) std::fprintf(stderr, "loader: %s\n", status.error().message.c_str());
  _exit(status.ok() ? 0 : 1);
}

Status Worker::MakeNext(BatchMaker& maker, int64_t count, const UniqueFd& result_fd) {
  const std::span<char> batch = SlotOf(count);
  GPUWHY_RETURN_IF_ERROR(maker.MakeBatch(number_ + count * options_.workers, batch));
  const std::span<const char> message = options_.is_shared_memory ? batch.first(1) : batch;
  if (!WriteAll(result_fd, message)) _exit(0);  // the trainer wants no more
  return {};
}

Result<std::span<char>> Worker::Take() {
  const std::span<char> batch = SlotOf(taken_count_++);
  char byte = 0;
  const std::span<char> message = options_.is_shared_memory ? std::span<char>(&byte, 1) : batch;
  if (!ReadAll(ready_fd_, message))
    return Unavailable(fmt::format("loader process {} has ended early", number_));
  return batch;
}

void Worker::Release() {
  const char byte = 'f';
  (void)WriteAll(free_fd_, {&byte, 1});  // a worker that has died is noticed by Take()
}

void Worker::Stop() {
  free_fd_.Close();
  ready_fd_.Close();
  waitpid(pid_, nullptr, 0);
}

}  // namespace gpuwhy::simgpu
