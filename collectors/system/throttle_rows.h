// SPDX-License-Identifier: Apache-2.0
// Rows of kind throttle: a cgroup had used up its CPU quota and its members stood still.
#pragma once

#include <string_view>

#include "collectors/system/system_poller.h"

namespace gpuwhy {

// One row and its roll-up for the time since the poll before. Where in that time the members stood
// still is not known: the row begins with it. `throttled_ns` is a sum over cores; the row lasts no
// longer than the time it is of.
void AddThrottle(std::string_view cgroup_path, int64_t throttled_ns, const PollMoment& moment,
                 Recorder& recorder);

}  // namespace gpuwhy
