/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What every program does the same way: is this process a target, its thread's state, roll-ups,
 * rows with counted losses, stacks. No function here fails silently: what cannot be kept has a
 * KernelLoss. */
#pragma once

#include "kernel_types.h"
#define __VMLINUX_H__ /* tells bpf_tracing.h that register names are the kernel's */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "maps.h"

#ifndef PT_REGS_PARM6 /* libbpf before 1.2 */
#if defined(__TARGET_ARCH_x86)
#define PT_REGS_PARM6(x) ((x)->r9)
#elif defined(__TARGET_ARCH_arm64)
#define PT_REGS_PARM6(x) ((x)->user_regs.regs[5])
#endif
#endif

#define NS_PER_SECOND 1000000000ULL

static __always_inline void count_losses(__u32 kind, __u64 number) {
  __u64* count = bpf_map_lookup_elem(&losses, &kind);
  if (count) __sync_fetch_and_add(count, number);
}

static __always_inline void count_loss(__u32 kind) {
  count_losses(kind, 1);
}

static __always_inline bool is_target(__u32 tgid) {
  return tgid != 0 && bpf_map_lookup_elem(&targets, &tgid) != 0;
}

static __always_inline void enrol(__u32 tgid) {
  __u8 one = 1;
  if (tgid == own_tgid || tgid == 0) return;
  if (bpf_map_update_elem(&targets, &tgid, &one, BPF_ANY)) count_loss(kLossTarget);
}

static __always_inline struct ThreadState* find_state(struct task_struct* task) {
  return bpf_task_storage_get(&threads, task, 0, 0);
}

static __always_inline struct ThreadState* make_state(struct task_struct* task) {
  struct ThreadState* state =
      bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!state) count_loss(kLossThreadState);
  return state;
}

static __always_inline struct OtherThread* find_other(struct task_struct* task) {
  __u32 tid = BPF_CORE_READ(task, pid);
  struct OtherThread* other = bpf_map_lookup_elem(&others, &tid);
  return other && other->start_ns == BPF_CORE_READ(task, start_time) ? other : 0;
}

/* Keeps the name of a thread that is no target, so that rows can name it. */
static __always_inline void remember_other(struct task_struct* task) {
  __u32 tid = task->pid;
  if (tid == 0 || find_other(task)) return;
  struct OtherThread other = {.start_ns = task->start_time, .tgid = task->tgid};
  bpf_probe_read_kernel(&other.comm, sizeof(other.comm), &task->comm);
  bpf_map_update_elem(&others, &tid, &other, BPF_ANY);
}

/* The bucket of schema/histogram.h: exact below 128 ns, then 64 buckets per power of two. */
static __always_inline __u32 bucket_of(__u64 duration_ns) {
  if (duration_ns < 128) return (__u32)duration_ns;
  __u64 rest = duration_ns;
  __u32 bit = 0;
  if (rest >> 32) {
    bit += 32;
    rest >>= 32;
  }
  if (rest >> 16) {
    bit += 16;
    rest >>= 16;
  }
  if (rest >> 8) {
    bit += 8;
    rest >>= 8;
  }
  if (rest >> 4) {
    bit += 4;
    rest >>= 4;
  }
  if (rest >> 2) {
    bit += 2;
    rest >>= 2;
  }
  if (rest >> 1) bit += 1;
  return 128 + (bit - 7) * 64 + (__u32)((duration_ns >> (bit - 6)) & 63);
}

/* Other CPUs count into the same entry. Each turn that fails was another CPU's, which brought the
 * value nearer: with all of them at one entry, 32 turns are enough. */
static __always_inline void lower_to(__u64* least, __u64 value) {
  for (int turn = 0; turn < 32; ++turn) {
    __u64 known = *(volatile __u64*)least;
    if (known <= value || __sync_val_compare_and_swap(least, known, value) == known) return;
  }
}

static __always_inline void raise_to(__u64* most, __u64 value) {
  for (int turn = 0; turn < 32; ++turn) {
    __u64 known = *(volatile __u64*)most;
    if (known >= value || __sync_val_compare_and_swap(most, known, value) == known) return;
  }
}

static __always_inline void roll_up(const struct EventHeader* header, __u64 duration_ns,
                                    __u64 bytes, bool is_stored) {
  __u32 zero = 0;
  void* map = bpf_map_lookup_elem(&roll_ups, &zero);
  struct RollUpKey key = {.second = (__u32)((header->time_ns + clock_offset_ns) / NS_PER_SECOND),
                          .tgid = header->tgid,
                          .kind = header->kind,
                          .sub = header->sub,
                          .bucket = bucket_of(duration_ns)};
  if (!map) return;
  struct RollUpValue* value = bpf_map_lookup_elem(map, &key);
  if (!value) {
    struct RollUpValue first = {.event_count = 1,
                                .stored_count = is_stored,
                                .sum_ns = duration_ns,
                                .min_ns = duration_ns,
                                .max_ns = duration_ns,
                                .sum_bytes = bytes};
    long err = bpf_map_update_elem(map, &key, &first, BPF_NOEXIST);
    if (!err) return;
    value = bpf_map_lookup_elem(map, &key); /* an interrupt or another CPU was first */
    if (!value) {
      count_loss(kLossRollUp);
      return;
    }
  }
  __sync_fetch_and_add(&value->event_count, 1);
  __sync_fetch_and_add(&value->stored_count, is_stored);
  __sync_fetch_and_add(&value->sum_ns, duration_ns);
  __sync_fetch_and_add(&value->sum_bytes, bytes);
  lower_to(&value->min_ns, duration_ns);
  raise_to(&value->max_ns, duration_ns);
}

/* The last tenth of the ring is for what cannot be told again: fork, exec and exit. */
static __always_inline bool is_nearly_full(__u64 used_bytes) {
  return used_bytes >= ring_bytes - ring_bytes / 10;
}

/* A reader that is woken for each row costs more than the rows: wake it when half is full; it looks
 * by itself some times a second. */
static __always_inline __u64 wake_flags(__u64 used_bytes) {
  return used_bytes >= ring_bytes / 2 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static __always_inline __u64 used_ring_bytes(void) {
  return bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA);
}

/* Within the rate, everything is a row; above it, only what is slow. */
static __always_inline bool is_row(__u64 now_ns, bool is_slow) {
  __u32 zero = 0;
  struct RowBudget* budget = bpf_map_lookup_elem(&row_budgets, &zero);
  if (!budget) return false;
  if (budget->second != now_ns / NS_PER_SECOND) {
    budget->second = now_ns / NS_PER_SECOND;
    budget->row_count = 0;
  }
  if (budget->row_count < rows_per_cpu_second || is_slow) {
    ++budget->row_count;
    return true;
  }
  count_loss(kLossThinned);
  return false;
}

/* Sends what can be left out when the ring is nearly full. */
static __always_inline bool send_if_room(void* event, __u64 event_bytes, __u32 loss) {
  __u64 used_bytes = used_ring_bytes();
  if (!is_nearly_full(used_bytes) &&
      bpf_ringbuf_output(&events, event, event_bytes, wake_flags(used_bytes)) == 0)
    return true;
  count_loss(loss);
  return false;
}

static __always_inline bool send_row(void* row, __u64 row_bytes) {
  return send_if_room(row, row_bytes, kLossRingFull);
}

/* The key of the stack in `value`, which is stored when it is new. */
static __always_inline __u64 keep_stack(struct StackValue* value, long stack_bytes, __u32 tgid) {
  if (stack_bytes <= 0) {
    count_loss(kLossStack);
    return 0;
  }
  __u32 depth = (__u32)stack_bytes / 8;
  if (depth > GPUWHY_STACK_DEPTH) depth = GPUWHY_STACK_DEPTH;
  value->depth = depth;
  value->is_truncated = depth == GPUWHY_STACK_DEPTH;
  __u64 key = 0x9E3779B97F4A7C15ULL ^ tgid;
  for (__u32 i = 0; i < GPUWHY_STACK_DEPTH; ++i) {
    if (i >= depth) break;
    key = (key ^ value->addresses[i]) * 0x9E3779B97F4A7C15ULL;
    key ^= key >> 32;
  }
  if (key == 0) key = 1;
  if (!bpf_map_lookup_elem(&stacks, &key) && bpf_map_update_elem(&stacks, &key, value, BPF_ANY)) {
    count_loss(kLossStack);
    return 0;
  }
  return key;
}

/* `tgid` 0 for kernel stacks, whose addresses mean the same in every process. */
static __always_inline __u64 take_stack(void* context, struct StackValue* scratch, __u64 flags,
                                        __u32 tgid) {
  long stack_bytes = bpf_get_stack(context, scratch->addresses, sizeof(scratch->addresses), flags);
  return keep_stack(scratch, stack_bytes, tgid);
}
