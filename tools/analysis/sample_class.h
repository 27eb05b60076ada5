// SPDX-License-Identifier: Apache-2.0
// What a thread was doing when its stack was sampled, by the names on the stack: a table of rules,
// of which the first that matches decides. What happens inside the kernel is asked before what
// called it, and causes before the interpreter that is below nearly all of them: else a lock held
// up in a page fault would read as the page fault, and everything in a trainer as Python. Pure
// functions, any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gpuwhy {

enum class SampleClass {
  kIdle,               // nothing to run
  kCudaWait,           // in the driver, or waiting for it
  kCudaSpin,           // polls for the device inside libcuda
  kGilWait,            // waits for Python's global lock
  kSmaps,              // reads /proc/*/smaps
  kMemoryLock,         // waits for the lock of an address space
  kMemoryCgroup,       // charges memory to a cgroup
  kReclaim,            // looks for memory to free
  kPageFault,          // maps or clears pages
  kNetwork,            // network stack, in a softirq or for this thread
  kRemoteFiles,        // NFS, Lustre, FUSE
  kDiskWait,           // waits for a block device
  kGarbageCollection,  // Python's
  kAllocator,          // allocates or frees memory, of host or device
  kDataLoading,        // decodes, tokenizes, reads
  kLockWait,           // any other lock of user space
  kPython,             // runs the interpreter
  kOther,
};

struct StackFrame {
  std::string_view function;
  std::string_view module;  // path, or a name in brackets; may be empty
};

// `comm` is the thread's name; the stack is innermost first.
SampleClass ClassifySample(std::string_view comm, std::span<const StackFrame> stack);

// "gil_wait"
std::string_view NameOfSampleClass(SampleClass sample_class);

}  // namespace gpuwhy
