// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/roll_up_maps.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include <cerrno>

#include "collectors/ebpf/bpf_log.h"

namespace gpuwhy {
namespace {

constexpr uint32_t kEntries = 65536;
constexpr uint32_t kBatch = 4096;

// Allocated beforehand, 16 MiB for both: most events are the first of their histogram bucket, and
// an element made on demand costs them more than all the rest.
int MakeMap() {
  return bpf_map_create(BPF_MAP_TYPE_HASH, "gpuwhy_roll_up", sizeof(RollUpKey), sizeof(RollUpValue),
                        kEntries, nullptr);
}

}  // namespace

RollUpMaps::RollUpMaps() : keys_(kBatch), values_(kBatch) {}

RollUpMaps::~RollUpMaps() {
  for (const int fd : fds_) {
    if (fd >= 0) close(fd);
  }
}

Result<std::unique_ptr<RollUpMaps>> RollUpMaps::Make() {
  std::unique_ptr<RollUpMaps> maps(new RollUpMaps);
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
  if (Status bound = Bind(outer_fd_); !bound.ok()) {
    active_ = 1 - active_;
    return bound;
  }
  return Drain(full, on_roll_up);
}

Status RollUpMaps::Drain(int fd, const OnRollUp& on_roll_up) {
  uint32_t position = 0;
  for (bool is_first = true, has_more = true; has_more; is_first = false) {
    uint32_t count = kBatch;
    const int error =
        bpf_map_lookup_and_delete_batch(fd, is_first ? nullptr : &position, &position, keys_.data(),
                                        values_.data(), &count, nullptr);
    if (error != 0 && error != -ENOENT) return BpfFailure("cannot read the roll-ups", error);
    has_more = error == 0;
    for (size_t i = 0; i < count; ++i)
      on_roll_up(keys_[i], values_[i]);
  }
  return {};
}

}  // namespace gpuwhy
