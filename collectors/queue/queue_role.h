// SPDX-License-Identifier: Apache-2.0
// What a host call says about the work that is queued for the device: adds to it, waits for it, or
// ties streams together. By name, for runtime, driver and NCCL alike.
#pragma once

#include <string_view>

namespace gpuwhy {

enum class QueueRole : unsigned char {
  kNone,
  kSubmit,         // puts work on a stream
  kSubmitAndWait,  // blocking copy: what its stream held before has been done when it returns
  kWaitForStream,  // returns when the stream is empty; a query that says "done" too
  kWaitForDevice,  // returns when the device has nothing left of this process
  kWaitForEvent,   // returns when what the event stands for has been done
  kRecordEvent,    // the event stands for what the stream holds now
  kStreamWaits,    // the stream goes on when what the event stands for has been done
  kBeginCapture,   // what follows on the stream is noted, not run
  kEndCapture,
};

QueueRole QueueRoleOf(std::string_view call_name);
}  // namespace gpuwhy
