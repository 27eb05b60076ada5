/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Waits for the lock of an address space and who held it, foreign threads that walk a target's memory
 * (/proc/PID/smaps, ptrace, process_vm_readv), page faults, direct reclaim, compaction. */
#include "common.h"

static __always_inline void send_host(struct HostEvent* event, __u64 min_row_ns) {
  bool is_stored = event->duration_ns >= min_row_ns &&
                   is_row(event->header.time_ns, event->duration_ns >= stack_min_ns) &&
                   send_row(event, sizeof(*event));
  roll_up(&event->header, event->duration_ns, event->bytes, is_stored);
}

static __always_inline struct HostEvent host_event(__u16 host_kind, __u64 start_ns) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct HostEvent event = {.header = {.time_ns = start_ns, .tgid = pid_tgid >> 32,
                                       .tid = (__u32)pid_tgid, .kind = kEventHost,
                                       .sub = host_kind}};
  event.duration_ns = bpf_ktime_get_ns() - start_ns;
  return event;
}

static __always_inline struct MmState* state_of_mm(struct task_struct* task, struct mm_struct* mm) {
  __u64 key = (__u64)mm;
  struct MmState* known = bpf_map_lookup_elem(&address_spaces, &key);
  __u32 tgid = BPF_CORE_READ(task, tgid);
  bool is_own = is_target(tgid) && BPF_CORE_READ(task, mm) == mm;
  /* An address of an earlier process may be in use again. */
  if (!is_own) return known && is_target(known->tgid) ? known : 0;
  if (known && known->tgid == tgid) return known;
  struct MmState fresh = {.tgid = tgid};
  bpf_map_update_elem(&address_spaces, &key, &fresh, BPF_ANY);
  return bpf_map_lookup_elem(&address_spaces, &key);
}

SEC("tp_btf/mmap_lock_start_locking")
int BPF_PROG(on_lock_wait, struct mm_struct* mm) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct MmState* space = state_of_mm(task, mm);
  if (!space || task->tgid == own_tgid) return 0;
  struct ThreadState* state = make_state(task);
  if (!state) return 0;
  state->lock_mm = (__u64)mm;
  state->lock_start_ns = bpf_ktime_get_ns();
  return 0;
}

/* The other party is whoever held the lock at any time during the wait. */
static __always_inline void end_wait(struct ThreadState* state, struct MmState* space) {
  struct HostEvent event = host_event(kHostMmapLock, state->lock_start_ns);
  if (space->holder_tid != event.header.tid &&
      (space->released_ns == 0 || space->released_ns >= state->lock_start_ns)) {
    event.other_tid = space->holder_tid;
    event.other_tgid = space->holder_tgid;
  }
  send_host(&event, lock_row_min_ns);
}

SEC("tp_btf/mmap_lock_acquire_returned")
int BPF_PROG(on_lock_taken, struct mm_struct* mm) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct ThreadState* state = find_state(task);
  if (!state || state->lock_mm != (__u64)mm || state->lock_start_ns == 0) return 0;
  struct MmState* space = state_of_mm(task, mm);
  if (!space) return 0;
  bool is_foreign = space->tgid != (__u32)task->tgid;
  if (!is_foreign) end_wait(state, space);
  state->lock_start_ns = 0;
  space->holder_tid = task->pid;
  space->holder_tgid = task->tgid;
  space->released_ns = 0;
  if (is_foreign) {
    remember_other(task);
    state->hold_mm = (__u64)mm;
    state->hold_start_ns = bpf_ktime_get_ns();
  }
  return 0;
}

SEC("tp_btf/mmap_lock_released")
int BPF_PROG(on_lock_released, struct mm_struct* mm) {
  struct task_struct* task = bpf_get_current_task_btf();
  __u64 key = (__u64)mm;
  struct MmState* space = bpf_map_lookup_elem(&address_spaces, &key);
  if (!space) return 0;
  if (space->holder_tid == (__u32)task->pid) space->released_ns = bpf_ktime_get_ns();
  if (space->tgid == (__u32)task->tgid) return 0;
  struct ThreadState* state = find_state(task);
  if (!state || state->hold_mm != key || state->hold_start_ns == 0) return 0;
  struct HostEvent event = host_event(kHostForeignMm, state->hold_start_ns);
  state->hold_start_ns = 0;
  event.other_tid = event.header.tid;
  event.other_tgid = event.header.tgid;
  event.header.tid = event.header.tgid = space->tgid;
  if (event.duration_ns >= lock_row_min_ns) event.header.stack = take_stack(ctx, &state->scratch, 0, 0);
  send_host(&event, lock_row_min_ns);
  return 0;
}

static __always_inline int count_fault(void) {
  struct EventHeader header = {.time_ns = bpf_ktime_get_ns(),
                               .tgid = bpf_get_current_pid_tgid() >> 32,
                               .kind = kEventHost,
                               .sub = kHostFault};
  if (is_target(header.tgid)) roll_up(&header, 0, 0, false);
  return 0;
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(on_user_fault) { return count_fault(); }

/* Faults that system calls cause while they copy from or to user memory. */
SEC("tp_btf/page_fault_kernel")
int BPF_PROG(on_kernel_fault) { return count_fault(); }

static __always_inline struct ThreadState* state_of_target(void) {
  struct task_struct* task = bpf_get_current_task_btf();
  return is_target(task->tgid) ? make_state(task) : 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int BPF_PROG(on_reclaim_begin) {
  struct ThreadState* state = state_of_target();
  if (state) state->reclaim_start_ns = bpf_ktime_get_ns();
  return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int BPF_PROG(on_reclaim_end, unsigned long reclaimed_pages) {
  struct ThreadState* state = state_of_target();
  if (!state || state->reclaim_start_ns == 0) return 0;
  struct HostEvent event = host_event(kHostReclaim, state->reclaim_start_ns);
  event.bytes = reclaimed_pages * 4096;
  state->reclaim_start_ns = 0;
  send_host(&event, 0);
  return 0;
}

SEC("tp_btf/mm_compaction_begin")
int BPF_PROG(on_compaction_begin) {
  struct ThreadState* state = state_of_target();
  if (state) state->compaction_start_ns = bpf_ktime_get_ns();
  return 0;
}

SEC("tp_btf/mm_compaction_end")
int BPF_PROG(on_compaction_end) {
  struct ThreadState* state = state_of_target();
  if (!state || state->compaction_start_ns == 0) return 0;
  struct HostEvent event = host_event(kHostCompaction, state->compaction_start_ns);
  state->compaction_start_ns = 0;
  send_host(&event, 0);
  return 0;
}
