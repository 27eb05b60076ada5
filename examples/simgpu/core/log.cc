// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "examples/simgpu/core/settings.h"

namespace gpuwhy::simgpu {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr int64_t kFlushPeriodNs = 100'000'000;

thread_local pid_t thread_id = 0;

pid_t ThreadId() {
  if (thread_id == 0) thread_id = gettid();
  return thread_id;
}

}  // namespace

Log& Log::Get() {
  static Log& log = *new Log();
  return log;
}

Log::Log() : is_on_(!GetSettings().log_prefix.empty()) {
  lines_.reserve(is_on_ ? kBlockBytes + 4096 : 0);
  pthread_atfork([] { Get().mutex_.lock(); }, [] { Get().mutex_.unlock(); },
                 [] { Get().StartAnewInChild(); });
}

// The rows so far are the parent's, who writes them.
void Log::StartAnewInChild() {
  thread_id = 0;
  lines_.clear();
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  mutex_.unlock();
}

void Log::Add(const Call& call) {
  if (!is_on_) return;
  const std::lock_guard lock(mutex_);
  BeginLine("api");
  Number(ThreadId());
  Number(call.entry_ns);
  Number(call.exit_ns);
  Text(call.name);
  Number(static_cast<int64_t>(call.facts.bytes));
  Text(call.facts.kind);
  Handle(call.facts.stream);
  Number(call.code);
  EndLine(call.exit_ns);
}

void Log::Add(const DeviceOp& op) {
  if (!is_on_) return;
  const std::lock_guard lock(mutex_);
  BeginLine("device");
  Text(op.engine);
  Number(op.start_ns);
  Number(op.end_ns);
  Text(op.name);
  Number(static_cast<int64_t>(op.bytes));
  Handle(op.stream);
  EndLine(NowNs());
}

void Log::BeginLine(const char* first) {
  lines_ += first;
}

void Log::Text(const char* text) {
  lines_ += '\t';
  lines_ += text;
}

void Log::Number(int64_t number) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  lines_ += '\t';
  lines_.append(digits, end);
}

void Log::Handle(const void* handle) {
  char digits[24];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof digits, reinterpret_cast<uintptr_t>(handle), 16);
  lines_ += "\t0x";
  lines_.append(digits, end);
}

void Log::EndLine(int64_t now_ns) {
  lines_ += '\n';
  if (flushed_ns_ == 0) flushed_ns_ = now_ns;
  if (lines_.size() < kBlockBytes && now_ns - flushed_ns_ < kFlushPeriodNs) return;
  flushed_ns_ = now_ns;
  FlushLocked();
}

void Log::Flush() {
  const std::lock_guard lock(mutex_);
  FlushLocked();
}

void Log::FlushLocked() {
  if (!is_on_ || lines_.empty()) return;
  if (fd_ >= 0 || Open()) WriteOut();
  lines_.clear();
}

bool Log::Open() {
  const std::string path = GetSettings().log_prefix + "." + std::to_string(getpid()) + ".tsv";
  fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ >= 0) return true;
  is_on_ = false;
  std::fprintf(stderr, "simgpu: cannot write the log %s: %s; nothing is logged\n", path.c_str(),
               std::strerror(errno));
  return false;
}

void Log::WriteOut() {
  for (size_t done = 0; done < lines_.size();) {
    const ssize_t written = write(fd_, lines_.data() + done, lines_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      is_on_ = false;
      std::fprintf(stderr, "simgpu: the log ends here: %s\n", std::strerror(errno));
      return;
    }
    done += static_cast<size_t>(written);
  }
}

namespace {

__attribute__((destructor)) void FlushAtExit() {
  Log::Get().Flush();
}

}  // namespace
}  // namespace gpuwhy::simgpu
