// SPDX-License-Identifier: Apache-2.0
// What KernelProbes owns, for its own source files: the generated skeleton and the links.
#pragma once

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "collectors/ebpf/kernel_probes.h"
#include "recorder.skel.h"

namespace gpuwhy {

struct KernelProbes::Skeleton {
  recorder_bpf* programs = nullptr;
  ring_buffer* ring = nullptr;

  Skeleton() = default;
  Skeleton(const Skeleton&) = delete;
  Skeleton& operator=(const Skeleton&) = delete;
  ~Skeleton() {
    ring_buffer__free(ring);
    recorder_bpf__destroy(programs);
  }
};

struct KernelProbes::Links {
  std::vector<bpf_link*> links;
  std::vector<int> fds;  // links that libbpf does not know

  Links() = default;
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  ~Links() {
    for (const int fd : fds)
      close(fd);
    for (bpf_link* link : links)
      bpf_link__destroy(link);
  }
};

// The tracepoint of a program of section tp_btf/NAME; empty for other kinds.
std::string TracepointOf(const bpf_program* program);

}  // namespace gpuwhy
