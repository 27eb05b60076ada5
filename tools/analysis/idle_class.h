// SPDX-License-Identifier: Apache-2.0
// The exclusive causes among which the idle ledger divides idle time, in the order in which they
// are asked (F3 of the field's definitions): the first that holds for an instant gets it.
#pragma once

#include <span>
#include <string_view>

namespace gpuwhy {

enum class IdleClass : unsigned char {
  kProfilerOverhead,  // the recorder itself was working
  // The operation that ends the gap had been launched:
  kLaunchLatency,  // at most 30 us ago
  kDeviceQueue,    // longer ago: it waits for an event, a copy, another device or process
  // It had not, and the thread that was going to launch it was ...
  kSyncCall,        // in a call that waits for the device
  kCopyCall,        // in a blocking copy, asynchronous by name but of pageable memory included
  kAllocationCall,  // in a call that allocates or frees device or pinned memory
  kModuleLoad,      // in a call that loads code or makes a context
  kLaunchCall,      // in the launching call or another CUDA call
  kRunnable,        // ready and waiting for a core
  kPageFault,       // in a page fault or waiting for the address-space lock
  kBlockIo,         // waiting for a disk
  kNetwork,         // waiting for the network
  kLock,            // waiting for a lock
  kDataLoader,      // in a range that waits for the data loader
  kHandOver,        // waiting for another thread or process: pipe, poll, child
  kSleep,           // asleep: timer or another voluntary wait
  kPythonOnCpu,     // on a core, in Python or framework code
  kNativeOnCpu,     // on a core, in code without ranges
  kOffCpuUnknown,   // off a core, reason not recorded
  kHostCode,        // in Python or framework code; whether on a core was not recorded
  kStartUp,         // before the first operation of the trace
  kEndOfTrace,      // nothing followed and nothing is known of the feeding thread
  kHostUnobserved,  // no row tells what the host did
};

inline constexpr int kIdleClassCount = 23;

struct IdleClassInfo {
  IdleClass idle_class;
  std::string_view key;    // for JSON: "page_fault"
  std::string_view label;  // a few words for tables
  std::string_view next;   // the tool call or collector that tells more; may be empty
};

// In the order of the enum.
std::span<const IdleClassInfo> AllIdleClasses();
const IdleClassInfo& InfoOf(IdleClass idle_class);

}  // namespace gpuwhy
