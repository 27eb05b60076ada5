/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Block requests that target threads submit themselves. What writeback submits later for them is
 * nobody's wait and is not attributed. */
#include "common.h"

#define REQ_OP_MASK 0xff
#define REQ_OP_WRITE 1
#define REQ_OP_DISCARD 3

static __always_inline int host_kind_of(__u32 flags) {
  __u32 operation = flags & REQ_OP_MASK;
  if (operation == 0) return kHostBlockRead;
  if (operation == REQ_OP_WRITE) return kHostBlockWrite;
  return operation == REQ_OP_DISCARD ? kHostBlockDiscard : -1;
}

static __always_inline int begin(struct request* request) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  __u64 key = (__u64)request;
  int host_kind = host_kind_of(BPF_CORE_READ(request, cmd_flags));
  if (!is_target(pid_tgid >> 32) || host_kind < 0) return 0;
  struct BlockRequest begun = {.start_ns = bpf_ktime_get_ns(), .tgid = pid_tgid >> 32,
                               .tid = (__u32)pid_tgid, .host_kind = (__u16)host_kind};
  begun.bytes = BPF_CORE_READ(request, __data_len);
  begun.device = ((__u32)BPF_CORE_READ(request, q, disk, major) << 20) |
                 (__u32)BPF_CORE_READ(request, q, disk, first_minor);
  if (bpf_map_update_elem(&block_requests, &key, &begun, BPF_ANY)) count_loss(kLossBlockIo);
  return 0;
}

static __always_inline int end(struct request* request) {
  __u64 key = (__u64)request;
  struct BlockRequest* begun = bpf_map_lookup_elem(&block_requests, &key);
  if (!begun) return 0;
  struct HostEvent event = {.header = {.time_ns = begun->start_ns, .tgid = begun->tgid,
                                       .tid = begun->tid, .kind = kEventHost,
                                       .sub = begun->host_kind},
                            .bytes = begun->bytes,
                            .device = begun->device};
  bpf_map_delete_elem(&block_requests, &key);
  __u64 now_ns = bpf_ktime_get_ns();
  event.duration_ns = now_ns - event.header.time_ns;
  bool is_stored = is_row(now_ns, event.duration_ns >= stack_min_ns) &&
                   send_row(&event, sizeof(event));
  roll_up(&event.header, event.duration_ns, event.bytes, is_stored);
  return 0;
}

SEC("tp_btf/block_io_start")
int BPF_PROG(on_io_start, struct request* request) { return begin(request); }

SEC("tp_btf/block_io_done")
int BPF_PROG(on_io_done, struct request* request) { return end(request); }

/* A request grows while others are merged into it; its size is final when the device gets it. */
SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_io_issue, struct request* request) {
  __u64 key = (__u64)request;
  struct BlockRequest* begun = bpf_map_lookup_elem(&block_requests, &key);
  if (begun) begun->bytes = BPF_CORE_READ(request, __data_len);
  return begun || !lacks_block_io_start ? 0 : begin(request);
}

/* Before Linux 6.5 there is neither block_io_start nor block_io_done: a request begins when it is
 * queued or, where a device has no queue, issued, and has ended when nothing of it is left. */
SEC("tp_btf/block_rq_insert")
int BPF_PROG(on_old_io_insert, struct request* request) { return begin(request); }

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_old_io_complete, struct request* request, int error, unsigned int bytes) {
  return bytes < BPF_CORE_READ(request, __data_len) ? 0 : end(request);
}
