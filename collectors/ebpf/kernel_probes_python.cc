// SPDX-License-Identifier: Apache-2.0
// What the kernel side is told about Python and what it tells.
#include <fmt/format.h>

#include <cerrno>

#include "collectors/ebpf/bpf_log.h"
#include "collectors/ebpf/kernel_probes_parts.h"

namespace gpuwhy {

Status KernelProbes::SetPython(pid_t tgid, const PythonProcess& python) const {
  const int map = bpf_map__fd(skeleton_->programs->maps.python_processes);
  const auto key = static_cast<uint32_t>(tgid);
  if (bpf_map_update_elem(map, &key, &python, BPF_ANY) == 0) return {};
  return Unavailable(fmt::format("no Python frames of process {}: {}", tgid, ErrnoText(errno)));
}

void KernelProbes::ForgetPython(pid_t tgid) const {
  const auto key = static_cast<uint32_t>(tgid);
  bpf_map_delete_elem(bpf_map__fd(skeleton_->programs->maps.python_processes), &key);
}

bool KernelProbes::ReadPythonStack(uint64_t key, PythonStack& value) const {
  const int map = bpf_map__fd(skeleton_->programs->maps.python_stacks);
  return bpf_map_lookup_elem(map, &key, &value) == 0;
}

bool KernelProbes::ReadPythonCode(uint64_t key, PythonCode& value) const {
  const int map = bpf_map__fd(skeleton_->programs->maps.python_codes);
  return bpf_map_lookup_elem(map, &key, &value) == 0;
}

}  // namespace gpuwhy
