// SPDX-License-Identifier: Apache-2.0
// What a recording shows while it runs: a table in place, one line a second, one JSON object a
// second, or nothing. The recording calls it once a second, and Refresh between. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "collectors/ebpf/second_summary.h"
#include "tools/json.h"

namespace gpuwhy {

struct LiveState {
  SecondSummary second;
  double elapsed_seconds = 0;
  std::string targets;    // "training_loop (4242) and 2 more"; cleaned
  std::string libraries;  // "libcudart.so.12, libcuda.so.1"; cleaned
  int64_t database_bytes = 0;
};

class LiveView {
 public:
  virtual ~LiveView() = default;
  virtual void Show(const LiveState& state) = 0;
  // Looks whether the window has another size; cheap.
  virtual void Refresh() {}
  // Nobody reads any more: the recording may end.
  virtual bool IsGone() const { return false; }
};

struct LiveViewChoice {
  bool is_quiet = false;
  bool as_json = false;
  bool shares_terminal = false;  // with a program that writes to it too
};

// On standard output for JSON, else on standard error; the table only on a terminal whose
// foreground is ours.
std::unique_ptr<LiveView> MakeLiveView(const LiveViewChoice& choice);

// One second as one object.
Json LiveJson(const LiveState& state);

}  // namespace gpuwhy
