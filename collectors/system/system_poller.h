// SPDX-License-Identifier: Apache-2.0
// One source of system values, asked once a second. Values go to the series of table counter: what
// is of one core, cgroup or process has it in the name in brackets or in column process_id, as in
// system.core[3].user_pct, system.cgroup[/docker/6c1f].throttled_ns, process.cpu_pct. Shares and
// growths are those since the poll before, written at its end. What cannot be read is counted once
// as a loss. The recorder's thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "collectors/recorder.h"

namespace gpuwhy {

struct PolledProcess {
  pid_t pid = 0;
  int64_t process_id = 0;  // its row
};

struct PollMoment {
  int64_t time_ns = 0;     // Unix time
  int64_t elapsed_ns = 0;  // since the poll before; 0 at the first, which only takes bearings
  std::span<const PolledProcess> targets;
};

class SystemPoller {
 public:
  SystemPoller() = default;
  virtual ~SystemPoller() = default;
  SystemPoller(const SystemPoller&) = delete;
  SystemPoller& operator=(const SystemPoller&) = delete;

  virtual void Poll(const PollMoment& moment, Recorder& recorder) = 0;
};

}  // namespace gpuwhy
