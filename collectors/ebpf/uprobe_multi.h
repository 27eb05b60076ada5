// SPDX-License-Identifier: Apache-2.0
// Many uprobes by one link (Linux 6.6): attaching and, above all, detaching hundreds one by one
// takes seconds. The C library headers of the distributions we build on do not know it yet, so the
// call is made here, with the layout of union bpf_attr from include/uapi/linux/bpf.h of Linux 6.6.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "collectors/ebpf/kernel_probes.h"

namespace gpuwhy {

inline constexpr int kAttachTypeUprobeMulti = 48;  // BPF_TRACE_UPROBE_MULTI

struct UprobeMultiKind {
  bool is_return = false;
  bool is_own_only = false;  // only for the calling process
};

// A link's file descriptor, or -1 with errno.
int LinkUprobeMulti(int program_fd, const std::string& path, std::span<const ProbePoint> points,
                    UprobeMultiKind kind);

// Whether this kernel has such links; needs the right to load programs.
bool KernelHasUprobeMulti();

}  // namespace gpuwhy
