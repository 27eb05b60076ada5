// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/uprobe_multi.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

namespace gpuwhy {
namespace {

constexpr uint32_t kFlagReturn = 1;  // BPF_F_UPROBE_MULTI_RETURN

struct LinkCreateUprobeMulti {
  uint32_t program_fd;
  uint32_t target_fd;
  uint32_t attach_type;
  uint32_t flags;
  uint64_t path;
  uint64_t offsets;
  uint64_t reference_counter_offsets;
  uint64_t cookies;
  uint32_t count;
  uint32_t multi_flags;
  uint32_t pid;  // 0: every process
  uint32_t padding;
};

uint64_t AddressOf(const void* data) {
  return reinterpret_cast<uintptr_t>(data);
}

}  // namespace

int LinkUprobeMulti(int program_fd, const std::string& path, std::span<const ProbePoint> points,
                    UprobeMultiKind kind) {
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> cookies;
  for (const ProbePoint& point : points) {
    offsets.push_back(point.file_offset);
    cookies.push_back(point.function_id);
  }
  LinkCreateUprobeMulti request{};
  request.program_fd = static_cast<uint32_t>(program_fd);
  request.attach_type = kAttachTypeUprobeMulti;
  request.path = AddressOf(path.c_str());
  request.offsets = AddressOf(offsets.data());
  request.cookies = AddressOf(cookies.data());
  request.count = static_cast<uint32_t>(points.size());
  request.multi_flags = kind.is_return ? kFlagReturn : 0;
  request.pid = kind.is_own_only ? static_cast<uint32_t>(getpid()) : 0;
  return static_cast<int>(syscall(SYS_bpf, BPF_LINK_CREATE, &request, sizeof request));
}

}  // namespace gpuwhy
