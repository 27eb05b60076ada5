// SPDX-License-Identifier: Apache-2.0
#include "server/commands/live_view.h"

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string_view>

#include "server/commands/live_screen.h"
#include "server/commands/live_table.h"
#include "server/commands/output.h"

namespace gpuwhy {
namespace {

// A job in the background must not draw over what the user does meanwhile.
bool IsOurTerminal() {
  return isatty(STDERR_FILENO) != 0 && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

class TableView : public LiveView {
 public:
  explicit TableView(ScreenShare share) : screen_(STDERR_FILENO, share) {}

  void Show(const LiveState& state) override {
    last_ = state;
    screen_.Measure();
    Draw();
  }
  void Refresh() override {
    if (last_ && screen_.Measure()) Draw();
  }

 private:
  void Draw() {
    if (!IsOurTerminal()) return;
    screen_.Draw(LiveTable(*last_, {.width = screen_.width(),
                                    .height = screen_.height(),
                                    .has_color = Environment("NO_COLOR").empty()}));
  }

  LiveScreen screen_;
  std::optional<LiveState> last_;
};

class LineView : public LiveView {
 public:
  void Show(const LiveState& state) override {
    std::fputs((LiveLine(state) + "\n").c_str(), stderr);
  }
};

class JsonView : public LiveView {
 public:
  void Show(const LiveState& state) override {
    const std::string line = DumpJson(LiveJson(state)) + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    is_gone_ = std::fflush(stdout) != 0;
  }
  bool IsGone() const override { return is_gone_; }

 private:
  bool is_gone_ = false;
};

class NoView : public LiveView {
 public:
  void Show(const LiveState& /*state*/) override {}
};

}  // namespace

std::unique_ptr<LiveView> MakeLiveView(const LiveViewChoice& choice) {
  if (choice.as_json) return std::make_unique<JsonView>();
  if (choice.is_quiet) return std::make_unique<NoView>();
  if (!IsOurTerminal() || Environment("TERM") == "dumb") return std::make_unique<LineView>();
  return std::make_unique<TableView>(choice.shares_terminal ? ScreenShare::kLowerHalf
                                                            : ScreenShare::kWhole);
}

}  // namespace gpuwhy
