// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/uprobe_multi.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
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

// A link to a folder: who knows such links says that it is no file, who does not that the request
// is invalid. libbpf asks in this way too.
bool KernelHasUprobeMulti() {
  const std::array<bpf_insn, 2> program{
      bpf_insn{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
      bpf_insn{.code = BPF_JMP | BPF_EXIT}};
  bpf_prog_load_opts options{};
  options.sz = sizeof options;
  options.expected_attach_type = static_cast<bpf_attach_type>(kAttachTypeUprobeMulti);
  const int program_fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "gpuwhy_try", "GPL", program.data(),
                                       program.size(), &options);
  if (program_fd < 0) return false;
  const ProbePoint nowhere{};
  const int link = LinkUprobeMulti(program_fd, "/", {&nowhere, 1}, {});
  const bool has = link >= 0 || errno == EBADF;
  if (link >= 0) close(link);
  close(program_fd);
  return has;
}

}  // namespace gpuwhy
