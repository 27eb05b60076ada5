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

// Probes of one function or one group.
struct ProbeLink {
  bpf_link* link = nullptr;
  int fd = -1;  // of a link that libbpf does not know
  ProbeGroup group = ProbeGroup::kEssential;
  bool is_return = false;

  void Detach() const {
    if (fd >= 0) close(fd);
    if (link != nullptr) bpf_link__destroy(link);
  }
};

struct KernelProbes::Links {
  std::vector<bpf_link*> links;
  std::vector<int> sampling_clocks;  // owned by links
  std::vector<ProbeLink> probes;

  Links() = default;
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  ~Links() {
    for (const ProbeLink& probe : probes)
      probe.Detach();
    for (bpf_link* link : links)
      bpf_link__destroy(link);
  }
};

// The tracepoint of a program of section tp_btf/NAME; empty for other kinds.
std::string TracepointOf(const bpf_program* program);

}  // namespace gpuwhy
