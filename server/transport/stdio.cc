// SPDX-License-Identifier: Apache-2.0
#include "server/transport/stdio.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>

namespace gpuwhy {
namespace {

bool IsOffered(uint64_t turn) {
  return turn % 2 == 1;
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

}  // namespace

class StdioTransport::Sink : public MessageSink {
 public:
  explicit Sink(StdioTransport& transport) : transport_(transport) {}
  void Respond(std::string_view message) override { transport_.writer_.Write(message); }
  void Notify(std::string_view message) override { transport_.writer_.Write(message); }
  void ReadOn() override { transport_.Offer(); }

 private:
  StdioTransport& transport_;
};

StdioTransport::StdioTransport(const StdioOptions& options, MessageHandler& handler)
    : options_(options),
      handler_(handler),
      stop_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      lines_(options.max_message_bytes),
      writer_(options.output_fd, [this] { Stop(); }),
      sink_(std::make_shared<Sink>(*this)),
      pool_(options.thread_count),
      timer_(pool_),
      signals_(pool_, SIGTERM, SIGINT) {
  std::signal(SIGPIPE, SIG_IGN);  // a client that went away is an error of write()
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (!error) Stop();
  });
}

StdioTransport::~StdioTransport() {
  boost::system::error_code ignored;
  signals_.cancel(ignored);
  pool_.join();
  close(stop_fd_);
}

void StdioTransport::Run() {
  boost::asio::post(pool_, [this] { StartLeading(turn_); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return has_ended_; });
}

bool StdioTransport::WaitUntilIdle(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return leading_count_ == 0; });
}

// A pipe whose reader has gone reports it without a write.
bool StdioTransport::IsUnwanted() const {
  pollfd output = {.fd = options_.output_fd, .events = 0, .revents = 0};
  return is_stopped_ || (poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLNVAL)) != 0);
}

void StdioTransport::WaitForAnswers(std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds kLook{20};
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!IsUnwanted() && std::chrono::steady_clock::now() < end) {
    if (WaitUntilIdle(kLook)) return;
  }
}

void StdioTransport::Stop() {
  is_stopped_ = true;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_fd_, &one, sizeof one);
}

void StdioTransport::End() {
  writer_.Release();
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
}

void StdioTransport::StartLeading(uint64_t turn) {
  {
    const std::lock_guard lock(mutex_);
    ++leading_count_;
  }
  Lead(turn);
  const std::lock_guard lock(mutex_);
  --leading_count_;
  changed_.notify_all();
}

void StdioTransport::Lead(uint64_t turn) {
  while (HandleNext() || ReadMore()) {
    if (!KeepLead(turn)) return;
  }
  if (const std::string_view rest = lines_.TakeRest(); !rest.empty()) {
    Handle({.text = rest});
    if (!KeepLead(turn)) return;
  }
  End();
}

bool StdioTransport::HandleNext() {
  const auto line = lines_.Next();
  if (!line) return false;
  if (lines_.HasNext()) writer_.Hold();
  Handle(*line);
  return true;
}

void StdioTransport::Handle(const LineBuffer::Line& line) {
  if (line.is_too_long) {
    handler_.OnOversized(options_.max_message_bytes, sink_);
  } else if (!IsBlank(line.text)) {
    handler_.OnMessage(line.text, sink_);
  }
}

// False at the end of input or when asked to stop.
bool StdioTransport::ReadMore() {
  writer_.Release();
  const std::span<char> space = lines_.Space();
  for (;;) {
    pollfd ready[] = {{.fd = options_.input_fd, .events = POLLIN, .revents = 0},
                      {.fd = stop_fd_, .events = POLLIN, .revents = 0}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) return false;
    if (ready[1].revents != 0) return false;
    if (ready[0].revents == 0) continue;
    const ssize_t read_bytes = read(options_.input_fd, space.data(), space.size());
    if (read_bytes > 0) {
      lines_.Commit(static_cast<size_t>(read_bytes));
      return true;
    }
    if (read_bytes == 0 || (errno != EINTR && errno != EAGAIN)) return false;
  }
}

void StdioTransport::Offer() {
  const uint64_t turn = ++turn_;
  if (!is_watching_.exchange(true)) WatchOffer(turn);
}

// True when nobody took over while the last message was handled. `turn` is that of the caller.
bool StdioTransport::KeepLead(uint64_t& turn) {
  uint64_t offered = turn + 1;
  if (turn_.compare_exchange_strong(offered, turn + 2)) {
    turn += 2;
    return true;
  }
  return offered == turn;  // it was not offered
}

void StdioTransport::WatchOffer(uint64_t turn) {
  timer_.expires_after(kPatience);
  timer_.async_wait([this, turn](const boost::system::error_code& error) {
    if (!error) OnPatienceEnded(turn);
  });
}

void StdioTransport::OnPatienceEnded(uint64_t turn) {
  uint64_t now = turn_.load();
  if (IsOffered(now) && now != turn) return WatchOffer(now);
  const bool takes_over = IsOffered(now) && turn_.compare_exchange_strong(now, now + 1);
  is_watching_ = false;
  if (takes_over) {
    writer_.ReleaseWithoutWaiting();
    return StartLeading(now + 1);
  }
  // An offer made between the two lines above has seen the watch still on.
  now = turn_.load();
  if (IsOffered(now) && !is_watching_.exchange(true)) WatchOffer(now);
}

}  // namespace gpuwhy
