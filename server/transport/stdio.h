// SPDX-License-Identifier: Apache-2.0
// Serves one client over two descriptors, a message a line. Leader and followers: the leader reads
// a line, handles it and answers, so that a short call needs no other thread. When a message it has
// let go (MessageSink::ReadOn) takes longer than kPatience, another thread takes over reading, and
// so a cancellation always gets through. The handler must leave one thread of `thread_count` free.
#pragma once

#include <atomic>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "server/transport/line_buffer.h"
#include "server/transport/line_writer.h"
#include "server/transport/message_handler.h"

namespace gpuwhy {

struct StdioOptions {
  int input_fd = 0;
  int output_fd = 1;
  size_t thread_count = 3;
  size_t max_message_bytes = size_t{16} << 20;
};

class StdioTransport {
 public:
  StdioTransport(const StdioOptions& options, MessageHandler& handler);
  ~StdioTransport();
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;

  // Returns at the end of input, when nobody reads our output, or after SIGTERM or SIGINT. Messages
  // may still be in work.
  void Run();
  // For after Run. True when nothing is in work any more; false when something still is after
  // `limit`.
  bool WaitUntilIdle(std::chrono::milliseconds limit);
  // The same while somebody may still want the answers: returns early when nobody reads our output
  // and on a signal.
  void WaitForAnswers(std::chrono::milliseconds limit);

  static constexpr std::chrono::milliseconds kPatience{1};

 private:
  class Sink;

  void StartLeading(uint64_t turn);
  void Lead(uint64_t turn);
  bool HandleNext();
  bool ReadMore();
  void Handle(const LineBuffer::Line& line);
  void Offer();
  bool KeepLead(uint64_t& turn);
  void WatchOffer(uint64_t turn);
  void OnPatienceEnded(uint64_t turn);
  void End();
  void Stop();
  bool IsUnwanted() const;

  StdioOptions options_;
  MessageHandler& handler_;
  int stop_fd_;  // readable once the transport shall end
  std::atomic<bool> is_stopped_ = false;
  LineBuffer lines_;
  LineWriter writer_;
  std::shared_ptr<MessageSink> sink_;
  // Two values a turn of the leader: even while it must not be overtaken, odd once it may be.
  std::atomic<uint64_t> turn_ = 0;
  std::atomic<bool> is_watching_ = false;  // who sets it owns timer_ until it is false again

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t leading_count_ = 0;  // threads inside Lead, most of them busy with an overtaken message
  bool has_ended_ = false;

  boost::asio::thread_pool pool_;
  boost::asio::steady_timer timer_;
  boost::asio::signal_set signals_;
};

}  // namespace gpuwhy
