// SPDX-License-Identifier: Apache-2.0
// What probing costs, and how to make it cost less.
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <algorithm>

#include "collectors/ebpf/kernel_probes_parts.h"

namespace gpuwhy {

std::vector<std::pair<uint64_t, uint64_t>> KernelProbes::InterruptTimes() const {
  std::vector<CpuTimes> cpus(static_cast<size_t>(cpu_count_));
  const uint32_t zero = 0;
  if (bpf_map_lookup_elem(bpf_map__fd(skeleton_->programs->maps.cpu_times), &zero, cpus.data())) {
    return {};
  }
  std::vector<std::pair<uint64_t, uint64_t>> times;
  times.reserve(cpus.size());
  for (const CpuTimes& cpu : cpus)
    times.emplace_back(cpu.softirq_ns, cpu.irq_ns);
  return times;
}

// Entries first: calls that are in them then end without a return, which is counted; the other way
// round each would leave something on its thread's stack of calls.
void KernelProbes::Shed(ProbeGroup group) {
  is_shed_[static_cast<size_t>(group)] = true;
  for (const bool is_return : {false, true}) {
    std::erase_if(links_->probes, [&](const ProbeLink& probe) {
      const bool is_meant = probe.group == group && probe.is_return == is_return;
      if (is_meant) probe.Detach();
      return is_meant;
    });
  }
}

void KernelProbes::SetSampleHz(unsigned hz) const {
  uint64_t frequency = hz;
  for (const int clock : links_->sampling_clocks)
    ioctl(clock, PERF_EVENT_IOC_PERIOD, &frequency);
}

void KernelProbes::ShedOffCpuStacks() const {
  skeleton_->programs->bss->sheds_off_cpu_stacks = 1;
}

void KernelProbes::ShedOffCpuRowsBelow(uint64_t floor_ns) const {
  skeleton_->programs->bss->off_cpu_row_floor_ns = floor_ns;
}

ProgramCost KernelProbes::CostOf(const char* program_name) const {
  const bpf_program* program =
      bpf_object__find_program_by_name(skeleton_->programs->obj, program_name);
  bpf_prog_info info{};
  uint32_t size_bytes = sizeof info;
  if (program == nullptr ||
      bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size_bytes) != 0) {
    return {};
  }
  return {info.run_time_ns, info.run_cnt};
}

}  // namespace gpuwhy
