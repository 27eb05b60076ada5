// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/kernel_probes.h"

#include <bpf/btf.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "collectors/ebpf/bpf_log.h"
#include "collectors/ebpf/kernel_probes_parts.h"
#include "collectors/ebpf/uprobe_multi.h"

namespace gpuwhy {
namespace {

struct BtfDeleter {
  void operator()(btf* types) const { btf__free(types); }
};
using BtfPtr = std::unique_ptr<btf, BtfDeleter>;

// Before Linux 6.9 mark_victim had a number as argument, which our program cannot read.
bool HasTaskArgument(const btf* types, int32_t typedef_id) {
  const btf_type* type = btf__type_by_id(types, static_cast<uint32_t>(typedef_id));
  while (type != nullptr && (btf_is_typedef(type) || btf_is_ptr(type))) {
    type = btf__type_by_id(types, type->type);
  }
  if (type == nullptr || !btf_is_func_proto(type) || btf_vlen(type) < 2) return false;
  return btf_is_ptr(btf__type_by_id(types, btf_params(type)[1].type));
}

bool Exists(const btf* types, const std::string& tracepoint) {
  const int32_t id =
      btf__find_by_name_kind(types, ("btf_trace_" + tracepoint).c_str(), BTF_KIND_TYPEDEF);
  return id > 0 && (tracepoint != "mark_victim" || HasTaskArgument(types, id));
}

}  // namespace

std::string TracepointOf(const bpf_program* program) {
  const std::string section = bpf_program__section_name(program);
  return section.starts_with("tp_btf/") ? section.substr(7) : std::string();
}

KernelProbes::KernelProbes()
    : skeleton_(std::make_unique<Skeleton>()), links_(std::make_unique<Links>()) {}

KernelProbes::~KernelProbes() = default;

Result<std::unique_ptr<KernelProbes>> KernelProbes::Start(const ProbeSettings& settings) {
  std::unique_ptr<KernelProbes> probes(new KernelProbes);
  GPUWHY_RETURN_IF_ERROR(probes->Load(settings));
  GPUWHY_RETURN_IF_ERROR(probes->AttachTracepoints());
  if (settings.sample_hz > 0) {
    GPUWHY_RETURN_IF_ERROR(probes->StartSampling(settings.sample_hz));
  }
  return probes;
}

Status KernelProbes::Load(const ProbeSettings& settings) {
  const BpfLog log;
  uses_uprobe_multi_ = settings.uses_uprobe_multi && KernelHasUprobeMulti();
  cpu_count_ = libbpf_num_possible_cpus();
  skeleton_->programs = recorder_bpf__open();
  if (skeleton_->programs == nullptr) return log.Failure("cannot open the BPF programs", errno);
  LeaveOutAbsent(settings.uses_block_io_start);
  Configure(settings);
  GPUWHY_ASSIGN_OR_RETURN(roll_ups_, RollUpMaps::Make());
  bpf_map__set_inner_map_fd(skeleton_->programs->maps.roll_ups, roll_ups_->active_fd());
  if (const int error = recorder_bpf__load(skeleton_->programs); error != 0) {
    return log.Failure("cannot load the BPF programs", error);
  }
  GPUWHY_RETURN_IF_ERROR(roll_ups_->Bind(bpf_map__fd(skeleton_->programs->maps.roll_ups)));
  const int events = bpf_map__fd(skeleton_->programs->maps.events);
  skeleton_->ring = ring_buffer__new(events, &OnRingEvent, this, nullptr);
  if (skeleton_->ring == nullptr) return log.Failure("cannot map the ring buffer", errno);
  return {};
}

Result<std::vector<TracepointState>> KernelProbes::ListTracepoints() {
  const BpfLog log;
  Skeleton skeleton;
  skeleton.programs = recorder_bpf__open();
  if (skeleton.programs == nullptr) return log.Failure("cannot open the BPF programs", errno);
  const BtfPtr types(btf__load_vmlinux_btf());
  if (!types) return log.Failure("cannot read the kernel's type information", errno);
  std::vector<TracepointState> tracepoints;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton.programs->obj) {
    const std::string name = TracepointOf(program);
    if (!name.empty()) tracepoints.push_back({name, Exists(types.get(), name)});
  }
  return tracepoints;
}

void KernelProbes::LeaveOutAbsent(bool prefers_io_start) {
  const BtfPtr types(btf__load_vmlinux_btf());
  if (!types) return;  // loading will say what is wrong
  ChooseBlockPrograms(prefers_io_start && Exists(types.get(), "block_io_start"));
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton_->programs->obj) {
    const std::string tracepoint = TracepointOf(program);
    if (tracepoint.empty() || !bpf_program__autoload(program)) continue;
    if (Exists(types.get(), tracepoint)) continue;
    bpf_program__set_autoload(program, false);
    absent_.push_back(tracepoint);
  }
}

// One pair of programs for disk requests, whichever the kernel can run.
void KernelProbes::ChooseBlockPrograms(bool has_io_start) {
  const auto& programs = skeleton_->programs->progs;
  skeleton_->programs->rodata->lacks_block_io_start = has_io_start ? 0 : 1;
  bpf_program__set_autoload(programs.on_io_start, has_io_start);
  bpf_program__set_autoload(programs.on_io_done, has_io_start);
  bpf_program__set_autoload(programs.on_old_io_insert, !has_io_start);
  bpf_program__set_autoload(programs.on_old_io_complete, !has_io_start);
}

void KernelProbes::Configure(const ProbeSettings& settings) const {
  auto& constants = *skeleton_->programs->rodata;
  constants.own_tgid = static_cast<uint32_t>(getpid());
  constants.enrols_gpu_users = settings.enrols_gpu_users ? 1 : 0;
  constants.clock_offset_ns = static_cast<uint64_t>(settings.clock_offset_ns);
  constants.ring_bytes = settings.ring_bytes;
  constants.off_cpu_row_min_ns = settings.off_cpu_row_min_ns;
  constants.lock_row_min_ns = settings.lock_row_min_ns;
  constants.stack_min_ns = settings.stack_min_ns;
  constants.rows_per_cpu_second = settings.rows_per_cpu_second;
  constants.cgroup_id = settings.cgroup_id;
  const size_t length = std::min(settings.comm.size(), sizeof constants.comm_to_enrol - 1);
  std::memcpy(constants.comm_to_enrol, settings.comm.data(), length);
  bpf_map__set_max_entries(skeleton_->programs->maps.events,
                           static_cast<uint32_t>(settings.ring_bytes));
  if (uses_uprobe_multi_) {
    const auto type = static_cast<bpf_attach_type>(kAttachTypeUprobeMulti);
    const auto& programs = skeleton_->programs->progs;
    for (bpf_program* program :
         {programs.call_entry, programs.call_return, programs.on_libraries}) {
      bpf_program__set_expected_attach_type(program, type);
    }
  }
}

Status KernelProbes::Enrol(pid_t tgid) {
  const auto key = static_cast<uint32_t>(tgid);
  const uint8_t one = 1;
  if (bpf_map_update_elem(bpf_map__fd(skeleton_->programs->maps.targets), &key, &one, BPF_ANY)) {
    return Unavailable(fmt::format("cannot follow process {}: {}", tgid, ErrnoText(errno)));
  }
  return {};
}

void KernelProbes::Dismiss(pid_t tgid) {
  const auto key = static_cast<uint32_t>(tgid);
  bpf_map_delete_elem(bpf_map__fd(skeleton_->programs->maps.targets), &key);
}

std::vector<pid_t> KernelProbes::Targets() const {
  const int map = bpf_map__fd(skeleton_->programs->maps.targets);
  std::vector<pid_t> targets;
  uint32_t key = 0;
  for (const uint32_t* previous = nullptr; bpf_map_get_next_key(map, previous, &key) == 0;
       previous = &key) {
    targets.push_back(static_cast<pid_t>(key));
  }
  return targets;
}

int KernelProbes::OnRingEvent(void* self, void* bytes, size_t size_bytes) {
  const auto& on_event = *static_cast<KernelProbes*>(self)->on_event_;
  if (size_bytes >= sizeof(EventHeader)) {
    on_event(*static_cast<const EventHeader*>(bytes), size_bytes);
  }
  return 0;
}

// The kernel wakes us only when the ring is half full, so what there is is taken in any case.
Status KernelProbes::Read(std::chrono::milliseconds longest_wait, const OnEvent& on_event) {
  pollfd ready{.fd = ring_buffer__epoll_fd(skeleton_->ring), .events = POLLIN, .revents = 0};
  poll(&ready, 1, static_cast<int>(longest_wait.count()));
  on_event_ = &on_event;
  const int count = ring_buffer__consume(skeleton_->ring);
  on_event_ = nullptr;
  if (count < 0) return Internal("cannot read the ring buffer: " + ErrnoText(count));
  return {};
}

Status KernelProbes::TakeRollUps(const OnRollUp& on_roll_up) {
  return roll_ups_->Take(on_roll_up);
}

std::array<uint64_t, kLossCount> KernelProbes::Losses() const {
  std::array<uint64_t, kLossCount> losses{};
  std::vector<uint64_t> counts(static_cast<size_t>(cpu_count_));
  const int map = bpf_map__fd(skeleton_->programs->maps.losses);
  for (uint32_t kind = 0; kind < kLossCount; ++kind) {
    if (bpf_map_lookup_elem(map, &kind, counts.data()) != 0) continue;
    for (const uint64_t count : counts)
      losses[kind] += count;
  }
  return losses;
}

bool KernelProbes::ReadStack(uint64_t key, StackValue& value) const {
  return bpf_map_lookup_elem(bpf_map__fd(skeleton_->programs->maps.stacks), &key, &value) == 0;
}

bool KernelProbes::ReadOther(uint32_t tid, OtherThread& other) const {
  return bpf_map_lookup_elem(bpf_map__fd(skeleton_->programs->maps.others), &tid, &other) == 0;
}

}  // namespace gpuwhy
