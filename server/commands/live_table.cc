// SPDX-License-Identifier: Apache-2.0
#include "server/commands/live_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "schema/base/text.h"
#include "tools/support/text_layout.h"

namespace gpuwhy {
namespace {

constexpr size_t kNameLimit = 60;
constexpr size_t kNumbersWidth = 44;  // of the columns after the name
constexpr size_t kSmallestName = 16;
constexpr double kNsPerPct = 1e7;  // of a second

// A block of lines under a title; the first of them matter most.
struct Block {
  std::string title;
  std::vector<std::string> lines;
};

std::string Pad(std::string_view text, size_t width) {
  std::string cut = CutToWidth(text, width);
  cut.append(width - std::min(width, DisplayWidth(cut)), ' ');
  return cut;
}

std::string Styled(const std::string& text, const char* code, bool has_color) {
  return has_color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

size_t NameWidth(const TableSize& size) {
  return std::max(kSmallestName, size.width - std::min(size.width, kNumbersWidth));
}

Block Operations(const LiveState& state, EventSource source, const char* title,
                 const TableSize& size) {
  const size_t name_width = NameWidth(size);
  Block block{.title = fmt::format("{}{:>8}{:>9}{:>9}{:>9}{:>9}", Pad(title, name_width), "per s",
                                   "p50", "p95", "p99", "time %"),
              .lines = {}};
  for (const OperationSecond& operation : state.second.operations) {
    if (operation.source != source || operation.event_count == 0) continue;
    const auto at = [&](double p) { return FormatDuration(operation.histogram.Percentile(p)); };
    block.lines.push_back(fmt::format("{}{:>8}{:>9}{:>9}{:>9}{:>9.1f}",
                                      Pad(CleanText(operation.name), name_width),
                                      FormatCount(operation.event_count), at(0.5), at(0.95),
                                      at(0.99), static_cast<double>(operation.sum_ns) / kNsPerPct));
  }
  return block;
}

std::string LabelOf(const ThreadLabel& thread) {
  const std::string name = CleanText(thread.name.empty() ? "ended" : thread.name, kNameLimit);
  return fmt::format("{} ({})", name, thread.tid);
}

Block Waits(const LiveState& state, const TableSize& size) {
  constexpr size_t kReasonWidth = 17;
  constexpr size_t kTimesWidth = 20;
  const size_t rest = size.width - std::min(size.width, kReasonWidth + kTimesWidth + 4);
  const size_t each = std::max<size_t>(10, rest / 2);
  Block block{
      .title = fmt::format("{} <- {}{}{:>9}{:>11}", Pad("WHO WAITS", each), Pad("ON WHOM", each),
                           Pad("for", kReasonWidth), "times", "total"),
      .lines = {}};
  for (const WaitPair& pair : state.second.waits) {
    block.lines.push_back(fmt::format("{} <- {}{}{:>9}{:>11}", Pad(LabelOf(pair.waiter), each),
                                      Pad(LabelOf(pair.other), each),
                                      Pad(CleanText(pair.reason), kReasonWidth),
                                      FormatCount(pair.wait_count), FormatDuration(pair.sum_ns)));
  }
  return block;
}

std::string LossText(const SecondSummary& second) {
  std::string text;
  for (const LossSecond& loss : second.losses)
    text += fmt::format("  {} x {}", FormatCount(loss.total_count), CleanText(loss.name));
  return text;
}

std::vector<std::string> Header(const LiveState& state, const TableSize& size) {
  const SecondSummary& second = state.second;
  const auto line = [&](const std::string& text) { return CutToWidth(text, size.width); };
  std::vector<std::string> lines = {
      Styled(line(fmt::format("gpuwhy trace  {}  {}", FormatElapsed(state.elapsed_seconds),
                              state.targets)),
             "1", size.has_color),
      line(fmt::format("probed: {}", state.libraries)),
      line(fmt::format("{} events/s  rows {} of {} counted  database {}",
                       FormatCount(second.event_count), FormatCount(second.total_stored_count),
                       FormatCount(second.total_event_count), FormatBytes(state.database_bytes)))};
  const std::string lost = LossText(second);
  lines.push_back(lost.empty() ? "lost: nothing"
                               : Styled(line("lost:" + lost), "1;31", size.has_color));
  return lines;
}

// How many lines each block gets: a fair share first, what is left to the first that want it.
std::vector<size_t> Shares(const std::vector<Block>& blocks, size_t room) {
  std::vector<size_t> shares(blocks.size(), 0);
  bool has_grown = true;
  while (has_grown && room > 0) {
    has_grown = false;
    for (size_t i = 0; i < blocks.size() && room > 0; ++i) {
      // The first line brings its title.
      const size_t cost = shares[i] == 0 ? 2 : 1;
      if (shares[i] >= blocks[i].lines.size() || room < cost) continue;
      room -= cost;
      ++shares[i];
      has_grown = true;
    }
  }
  return shares;
}

}  // namespace

std::string FormatElapsed(double seconds) {
  const auto whole = static_cast<int64_t>(seconds);
  if (whole < 3600) return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::vector<std::string> LiveTable(const LiveState& state, const TableSize& size) {
  std::vector<std::string> lines = Header(state, size);
  const std::vector<Block> blocks = {
      Operations(state, EventSource::kApiCall, "GPU CALL", size), Waits(state, size),
      Operations(state, EventSource::kOffCpu, "OFF THE CPU", size),
      Operations(state, EventSource::kHostEvent, "HOST EVENT", size)};
  const size_t room = size.height - std::min(size.height, lines.size());
  const std::vector<size_t> shares = Shares(blocks, room);
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (shares[i] == 0) continue;
    lines.push_back(Styled(CutToWidth(blocks[i].title, size.width), "7", size.has_color));
    for (size_t row = 0; row < shares[i]; ++row)
      lines.push_back(CutToWidth(blocks[i].lines[row], size.width));
  }
  if (lines.size() > size.height) lines.resize(size.height);
  return lines;
}

std::string LiveLine(const LiveState& state) {
  const SecondSummary& second = state.second;
  int64_t calls = 0;
  for (const OperationSecond& operation : second.operations) {
    if (operation.source == EventSource::kApiCall) calls += operation.event_count;
  }
  std::string line =
      fmt::format("{}  {} GPU calls/s  {} events/s  rows {} of {} counted  database {}",
                  FormatElapsed(state.elapsed_seconds), FormatCount(calls),
                  FormatCount(second.event_count), FormatCount(second.total_stored_count),
                  FormatCount(second.total_event_count), FormatBytes(state.database_bytes));
  if (!second.waits.empty()) {
    const WaitPair& top = second.waits.front();
    line += fmt::format("  {} waited {} on {}", LabelOf(top.waiter), FormatDuration(top.sum_ns),
                        LabelOf(top.other));
  }
  const std::string lost = LossText(second);
  return lost.empty() ? line : line + "  lost:" + lost;
}

}  // namespace gpuwhy
