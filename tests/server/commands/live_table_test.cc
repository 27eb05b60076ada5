// SPDX-License-Identifier: Apache-2.0
// The live table and line from a second that is made up.
#include "server/commands/live_table.h"

#include <algorithm>

#include "tests/catch.h"
#include "tools/support/text_layout.h"

namespace gpuwhy {
namespace {

OperationSecond Operation(EventSource source, std::string name, int64_t count,
                          int64_t duration_ns) {
  OperationSecond operation;
  operation.source = source;
  operation.name = std::move(name);
  operation.event_count = count;
  operation.sum_ns = count * duration_ns;
  operation.histogram.Add(duration_ns, count);
  return operation;
}

LiveState BusyState() {
  LiveState state;
  for (int i = 0; i < 30; ++i) {
    const std::string number = std::to_string(i);
    state.second.operations.push_back(
        Operation(EventSource::kApiCall, "cudaCall" + number, 1000, 2'000'000));
    state.second.waits.push_back({.waiter = {.pid = 1, .tid = 10, .name = "main" + number},
                                  .other = {.pid = 2, .tid = 20, .name = "loader"},
                                  .reason = "pipe",
                                  .wait_count = 3,
                                  .sum_ns = 250'000'000});
  }
  state.second.operations.push_back(Operation(EventSource::kOffCpu, "lock", 5, 1000));
  state.second.operations.push_back(Operation(EventSource::kHostEvent, "fault", 7, 1000));
  state.second.event_count = 12'345;
  state.targets = "python3 (42)";
  state.elapsed_seconds = 3725;
  return state;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("live table: fits into every window and shows a part of each block", "[trace]") {
  const auto [width, height] = GENERATE(std::pair<size_t, size_t>(80, 24), std::pair(200, 60),
                                        std::pair(40, 16), std::pair(12, 3), std::pair(1, 1));
  const auto lines = LiveTable(BusyState(), {.width = width, .height = height});

  CHECK(lines.size() <= height);
  for (const std::string& line : lines)
    CHECK(DisplayWidth(line) <= width);
  if (height < 16) return;
  const std::string text = Joined(lines);
  for (const char* part : {"GPU CALL", "cudaCall0", "WHO WAITS", "main0", "OFF THE CPU", "lock",
                           "HOST EVENT", "fault"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("live table: a line has count, percentiles and the share of the second", "[trace]") {
  const std::string text = Joined(LiveTable(BusyState(), {.width = 80, .height = 24}));

  CHECK(text.find("1:02:05") != std::string::npos);
  CHECK(text.find("12,345 events/s") != std::string::npos);
  const size_t call = text.find("cudaCall0");
  const std::string line = text.substr(call, text.find('\n', call) - call);
  CHECK(line.find("1,000") != std::string::npos);
  CHECK(line.find(" ms") != std::string::npos);
  CHECK(line.find("200.0") != std::string::npos);  // 1,000 calls of 2 ms in one second
}

TEST_CASE("live table: a loss is red, and only where colour is wanted", "[trace]") {
  LiveState state = BusyState();
  state.second.losses = {{.name = "ebpf_ring_full", .total_count = 17}};

  const std::string plain = Joined(LiveTable(state, {.width = 80, .height = 24}));
  const std::string colored =
      Joined(LiveTable(state, {.width = 80, .height = 24, .has_color = true}));

  CHECK(plain.find("17 x ebpf_ring_full") != std::string::npos);
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(colored.find("\x1b[1;31mlost:") != std::string::npos);
  CHECK(LiveLine(state).find("17 x ebpf_ring_full") != std::string::npos);
}

TEST_CASE("live table: hostile names cannot write to the terminal", "[trace]") {
  LiveState state = BusyState();
  state.second.operations.front().name = "\x1b]0;owned\a\r\n\x9b";
  state.second.waits.front().waiter.name = "a\nb\x1b[2J";
  state.second.waits.front().other.name = "\xe2\x80\xae";

  const auto lines = LiveTable(state, {.width = 80, .height = 24});

  for (const std::string& line : lines)
    CHECK(std::none_of(line.begin(), line.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
  CHECK(Joined(lines).find("\xe2\x80\xae") == std::string::npos);
  CHECK(DumpJson(LiveJson(state)).find("\\u001b") == std::string::npos);
  CHECK(LiveLine(state).find('\x1b') == std::string::npos);
}

}  // namespace gpuwhy
