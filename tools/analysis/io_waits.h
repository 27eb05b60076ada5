// SPDX-License-Identifier: Apache-2.0
// Disk waits of threads, also where the recorder did not say why a thread stopped: a block read and
// the switch of the same thread that covers it are one wait. I/O of recorders and of the journal
// that they keep busy is counted apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/analysis/trace_facts.h"

namespace gpuwhy {

struct IoWaits {
  int64_t thread_id = 0;
  int64_t read_count = 0;  // block reads of the thread in the window
  int64_t read_ns = 0;
  int64_t read_bytes = 0;
  int64_t longest_ns = 0;
  int64_t longest_id = 0;    // host_event row
  int64_t paired_count = 0;  // reads with a switch that covers them
  int64_t switch_count = 0;  // switches of the thread, for whatever reason
  int64_t switch_ns = 0;
  Intervals blocked;  // paired switches, and switches whose recorded reason is I/O
  bool HasReason() const { return read_count == 0 && !blocked.empty(); }
};

// Threads that waited for a disk, the one that waited longest first. Recorders are left out.
Result<std::vector<IoWaits>> FindIoWaits(const TraceFacts& facts);
std::string ReadsSql(const TraceFacts& facts, int64_t thread_id);

struct OwnIo {
  int64_t event_count = 0;     // block I/O in the window, of anybody
  int64_t recorder_count = 0;  // of recorders
  int64_t journal_count = 0;   // of file-system journals while a recorder wrote
  bool IsEverything() const {
    return event_count > 0 && recorder_count > 0 && recorder_count + journal_count == event_count;
  }
};
Result<OwnIo> CountOwnIo(const TraceFacts& facts);
// "98 block writes: 33 by the recorder, 65 by the journal: its own footprint"
std::string DescribeOwnIo(const OwnIo& io);

}  // namespace gpuwhy
