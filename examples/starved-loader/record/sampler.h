// SPDX-License-Identifier: Apache-2.0
// Samples the stack of the calling process 49 times per second of CPU time, in a signal handler,
// into its log. For a process of one thread.
#pragma once

#include "examples/starved-loader/record/logs.h"

namespace gpuwhy::starved_loader {

inline constexpr int kSamplesPerSecond = 49;

// `log` must outlive the process's sampling.
Status StartSampling(WorkerLog& log);
void StopSampling();

}  // namespace gpuwhy::starved_loader
