// SPDX-License-Identifier: Apache-2.0
// Attaching: tracepoints, the sampling clock of each CPU, functions of libraries.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "collectors/ebpf/bpf_log.h"
#include "collectors/ebpf/kernel_probes_parts.h"
#include "collectors/ebpf/sampling_clock.h"
#include "collectors/ebpf/uprobe_multi.h"

namespace gpuwhy {

Status KernelProbes::AttachTracepoints() {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton_->programs->obj) {
    if (TracepointOf(program).empty() || !bpf_program__autoload(program)) continue;
    bpf_link* link = bpf_program__attach(program);
    if (link == nullptr) {
      return Unavailable(fmt::format("cannot attach to the tracepoint {}: {}",
                                     TracepointOf(program), ErrnoText(errno)));
    }
    links_->links.push_back(link);
  }
  return {};
}

Status KernelProbes::StartSampling(unsigned hz) {
  for (int cpu = 0; cpu < cpu_count_; ++cpu) {
    const int fd = OpenSamplingClock(cpu, hz);
    if (fd < 0 && (errno == ENODEV || errno == ENXIO)) continue;  // the CPU is offline
    bpf_link* link =
        fd < 0 ? nullptr : bpf_program__attach_perf_event(skeleton_->programs->progs.on_sample, fd);
    if (link == nullptr) {
      const std::string reason = ErrnoText(errno);
      if (fd >= 0) close(fd);
      return Unavailable(fmt::format("cannot sample stacks on CPU {}: {}", cpu, reason));
    }
    links_->links.push_back(link);
    links_->sampling_clocks.push_back(fd);
  }
  sample_hz_ = hz;
  return {};
}

Status KernelProbes::SetFunction(uint16_t function_id, const FunctionSpec& arguments) {
  const uint32_t key = function_id;
  const int functions = bpf_map__fd(skeleton_->programs->maps.functions);
  if (bpf_map_update_elem(functions, &key, &arguments, BPF_ANY) != 0) {
    return Internal("cannot describe a probed function to the kernel: " + ErrnoText(errno));
  }
  return {};
}

Status KernelProbes::AttachLibrary(const std::string& path, std::span<const ProbePoint> points) {
  for (size_t group = 0; group < kProbeGroupCount; ++group) {
    std::vector<ProbePoint> members;
    std::copy_if(points.begin(), points.end(), std::back_inserter(members),
                 [group](const auto& point) { return point.group == ProbeGroup(group); });
    if (!is_shed_[group]) GPUWHY_RETURN_IF_ERROR(AttachGroup(path, members));
  }
  return {};
}

// Returns first: an entry without a return to come would stay on the thread's stack of calls.
Status KernelProbes::AttachGroup(const std::string& path, std::span<const ProbePoint> points) {
  const auto& programs = skeleton_->programs->progs;
  GPUWHY_RETURN_IF_ERROR(AttachProbes(programs.call_return, path, points, true));
  return AttachProbes(programs.call_entry, path, points, false);
}

Status KernelProbes::AttachLoader(const std::string& path, uint64_t file_offset) {
  const ProbePoint point{.file_offset = file_offset};
  return AttachProbes(skeleton_->programs->progs.on_libraries, path, {&point, 1}, false);
}

Status KernelProbes::AttachProbes(const bpf_program* program, const std::string& path,
                                  std::span<const ProbePoint> points, bool is_return) {
  if (!uses_uprobe_multi_) {
    for (const ProbePoint& point : points) {
      GPUWHY_RETURN_IF_ERROR(AttachSingly(program, path, point, is_return));
    }
    return {};
  }
  if (points.empty()) return {};
  const ProbeGroup group = points.front().group;
  const int link = LinkUprobeMulti(bpf_program__fd(program), path, points,
                                   {is_return, group == ProbeGroup::kOwn});
  if (link < 0) return BpfFailure(fmt::format("cannot probe {}", path), errno);
  links_->probes.push_back({nullptr, link, group, is_return});
  return {};
}

Status KernelProbes::AttachSingly(const bpf_program* program, const std::string& path,
                                  const ProbePoint& point, bool is_return) {
  bpf_uprobe_opts options{};
  options.sz = sizeof options;
  options.bpf_cookie = point.function_id;
  options.retprobe = is_return;
  const pid_t pid = point.group == ProbeGroup::kOwn ? 0 : -1;
  bpf_link* link =
      bpf_program__attach_uprobe_opts(program, pid, path.c_str(), point.file_offset, &options);
  if (link == nullptr) return BpfFailure(fmt::format("cannot probe {}", path), errno);
  links_->probes.push_back({link, -1, point.group, is_return});
  return {};
}

}  // namespace gpuwhy
