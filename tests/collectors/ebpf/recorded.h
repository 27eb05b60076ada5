// SPDX-License-Identifier: Apache-2.0
// Records a process with the real programs in the real kernel and gives the trace. The body runs in
// a child that begins when everything is attached.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "collectors/ebpf/live_recording.h"
#include "tests/examples/sim_process.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {

struct RecordedRun {
  std::unique_ptr<TempDir> dir;
  std::unique_ptr<TraceDb> db;
  Numbers numbers;    // what the body returned
  GroundTruth truth;  // of the simulated GPU
  pid_t pid = 0;
  int64_t clock_offset_ns = 0;

  int64_t Int(const std::string& sql) const;
  std::string Text(const std::string& sql) const;
};

struct RecordingSetup {
  RecordingOptions options;
  Environment environment;
  bool follows_all = false;         // every GPU user of the machine in place of the child
  bool reads_while_running = true;  // false: nobody takes rows out of the ring before the end
  // Whether the calls of CallUntilRecorded arrive; where empty, StoresStreamQuery.
  std::function<bool(const TraceDb&)> is_recorded;
  // Called in the test's process while the body runs, between reads.
  std::function<void(LiveRecording&)> meanwhile;
};

// Whether a cudaStreamQuery is stored.
bool StoresStreamQuery(const TraceDb& db);

RecordedRun Record(const std::function<Numbers()>& body, RecordingSetup setup = {});

// For bodies: a call made before the recorder has found a library is not recorded, so this makes
// calls, a thousand a second, until they are. Exits with 4 when that takes half a minute.
void CallUntilRecorded(const std::function<void()>& call);

// Why nothing can be recorded here, or nothing.
std::optional<std::string> WhyNotRecordable();

}  // namespace gpuwhy
