// SPDX-License-Identifier: Apache-2.0
// Threads that mostly sleep for a round time again and again: idle by choice.
#pragma once

#include <string>
#include <vector>

#include "tools/analysis/rules.h"

namespace gpuwhy {

struct ThreadSleep {
  int64_t thread_id = 0;
  rules::SleepLoop loop;
};

// In scope and window; the one that slept longest first.
Result<std::vector<ThreadSleep>> SleepLoopsOf(const TraceFacts& facts);
// "python3/4599 sleeps voluntarily: 62 waits of 50.1 ms, 3.104 s in all"
std::string DescribeSleep(const TraceFacts& facts, const ThreadSleep& sleep);

}  // namespace gpuwhy
