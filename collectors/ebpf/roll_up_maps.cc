// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/roll_up_maps.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include "collectors/ebpf/bpf_log.h"

namespace gpuwhy {
namespace {

constexpr uint32_t kEntries = 65536;
constexpr uint32_t kBatch = 4096;

RollUpValue JoinCpus(std::span<const RollUpValue> cpus) {
  RollUpValue sum{};
  sum.min_ns = UINT64_MAX;
  for (const RollUpValue& cpu : cpus) {
    if (cpu.event_count == 0) continue;
    sum.event_count += cpu.event_count;
    sum.stored_count += cpu.stored_count;
    sum.sum_ns += cpu.sum_ns;
    sum.sum_bytes += cpu.sum_bytes;
    sum.min_ns = std::min(sum.min_ns, cpu.min_ns);
    sum.max_ns = std::max(sum.max_ns, cpu.max_ns);
  }
  return sum;
}

int MakeMap() {
  bpf_map_create_opts options{};
  options.sz = sizeof options;
  options.map_flags = BPF_F_NO_PREALLOC;
  return bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "gpuwhy_roll_up", sizeof(RollUpKey),
                        sizeof(RollUpValue), kEntries, &options);
}

}  // namespace

RollUpMaps::RollUpMaps(int cpu_count)
    : cpu_count_(cpu_count),
      keys_(kBatch),
      values_(size_t{kBatch} * static_cast<size_t>(cpu_count)) {}

RollUpMaps::~RollUpMaps() {
  for (const int fd : fds_) {
    if (fd >= 0) close(fd);
  }
}

Result<std::unique_ptr<RollUpMaps>> RollUpMaps::Make(int cpu_count) {
  std::unique_ptr<RollUpMaps> maps(new RollUpMaps(cpu_count));
  for (int& fd : maps->fds_) {
    fd = MakeMap();
    if (fd < 0) return BpfFailure("cannot make a BPF map", fd);
  }
  return maps;
}

Status RollUpMaps::Bind(int outer_fd) {
  const uint32_t slot = 0;
  outer_fd_ = outer_fd;
  if (const int error = bpf_map_update_elem(outer_fd_, &slot, &fds_[active_], BPF_ANY)) {
    return BpfFailure("cannot set up the roll-ups", error);
  }
  return {};
}

Status RollUpMaps::Take(const OnRollUp& on_roll_up) {
  const int full = fds_[active_];
  active_ = 1 - active_;
  // The update of a map of maps returns when no program uses the old one any more.
  if (const Status bound = Bind(outer_fd_); !bound.ok()) {
    active_ = 1 - active_;
    return bound;
  }
  return Drain(full, on_roll_up);
}

Status RollUpMaps::Drain(int fd, const OnRollUp& on_roll_up) {
  const auto cpus = static_cast<size_t>(cpu_count_);
  uint32_t position = 0;
  for (bool is_first = true, has_more = true; has_more; is_first = false) {
    uint32_t count = kBatch;
    const int error =
        bpf_map_lookup_and_delete_batch(fd, is_first ? nullptr : &position, &position, keys_.data(),
                                        values_.data(), &count, nullptr);
    if (error != 0 && error != -ENOENT) return BpfFailure("cannot read the roll-ups", error);
    has_more = error == 0;
    for (size_t i = 0; i < count; ++i) {
      on_roll_up(keys_[i], JoinCpus({&values_[i * cpus], cpus}));
    }
  }
  return {};
}

}  // namespace gpuwhy
