/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Off-CPU time of target threads: when and why a thread left its core, who took the core, who woke
 * it, how long it then waited for a core. Everything is sent when the thread runs again. */
#include "common.h"

#define TASK_INTERRUPTIBLE 1
#define TASK_UNINTERRUPTIBLE 2

static __always_inline __u32 state_bits(struct task_struct* task) {
  if (bpf_core_field_exists(task->__state)) return task->__state;
  return (__u32)BPF_CORE_READ((struct task_struct___old*)task, state);
}

/* The system call that the thread is in; -1 in user code, in faults and in interrupts. */
static __always_inline __s16 syscall_of(struct task_struct* task) {
  struct pt_regs* regs = (struct pt_regs*)bpf_task_pt_regs(task);
#if defined(__TARGET_ARCH_x86)
  __s64 number = (__s64)BPF_CORE_READ(regs, orig_ax);
#elif defined(__TARGET_ARCH_arm64)
  __s64 number = BPF_CORE_READ(regs, syscallno);
#endif
  return number < 0 || number > 1000 ? -1 : (__s16)number;
}

/* Numbers of x86-64 and, where they differ, of arm64. */
static __always_inline __u16 reason_of_syscall(__s16 number) {
  switch (number) {
#if defined(__TARGET_ARCH_x86)
    case 202: case 449: case 454: case 455: case 456: /* futex and its kin */
      return kReasonLock;
    case 35: case 230: /* nanosleep, clock_nanosleep */
      return kReasonSleep;
    case 7: case 271: case 23: case 270: case 232: case 281: case 441: /* poll, select, epoll */
      return kReasonPoll;
    case 0: case 1: case 17: case 18: case 19: case 20: case 275: case 276: case 40:
      return kReasonPipe; /* read, write, splice, sendfile */
    case 42: case 43: case 44: case 45: case 46: case 47: case 288: case 299: case 307:
      return kReasonNetwork; /* connect, accept, send, receive */
    case 61: case 247: /* wait4, waitid */
      return kReasonChild;
    case 74: case 75: case 162: case 277: /* fsync, fdatasync, sync, sync_file_range */
      return kReasonIo;
#elif defined(__TARGET_ARCH_arm64)
    case 98: case 449: case 454: case 455: case 456: return kReasonLock;
    case 101: case 115: return kReasonSleep;
    case 72: case 73: case 22: case 441: return kReasonPoll;
    case 63: case 64: case 65: case 66: case 67: case 68: case 71: case 75: case 76:
      return kReasonPipe;
    case 203: case 202: case 206: case 207: case 211: case 212: case 242: case 243: case 269:
      return kReasonNetwork;
    case 260: case 95: return kReasonChild;
    case 82: case 83: case 81: case 84: return kReasonIo;
#endif
  }
  return kReasonUnknown;
}

static __always_inline __u16 reason_of(struct task_struct* task, __u32 bits, __s16 syscall) {
  /* A task that was pre-empted has state 0, with 0x100 on newer kernels. */
  if ((bits & 0xff) == 0) return kReasonPreempted;
  if ((bits & TASK_UNINTERRUPTIBLE) && BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait))
    return kReasonIo;
  if (syscall < 0) return bits & TASK_UNINTERRUPTIBLE ? kReasonFault : kReasonUnknown;
  __u16 reason = reason_of_syscall(syscall);
  /* Blocked without a signal being able to end it: a lock of the kernel, unless the call is a wait
   * itself. */
  if ((bits & TASK_UNINTERRUPTIBLE) && reason != kReasonSleep && reason != kReasonIo)
    return kReasonLock;
  return reason;
}

static __always_inline void leave(struct task_struct* prev, struct task_struct* next, __u32 bits,
                                  __u64 now_ns) {
  struct ThreadState* state = make_state(prev);
  if (!state) return;
  /* Seen on one virtual machine, where the tracepoint is not reached when certain threads of its
   * init process leave a core: ftrace misses the same switches. */
  if (state->off_start_ns != 0) count_loss(kLossSwitchIn);
  state->off_syscall = syscall_of(prev);
  state->off_reason = reason_of(prev, bits, state->off_syscall);
  state->preemptor_tid = next->pid;
  state->preemptor_tgid = next->tgid;
  state->waker_tid = state->waker_tgid = 0;
  state->is_woken_by_irq = 0;
  state->waking_ns = state->off_reason == kReasonPreempted ? now_ns : 0;
  state->off_start_ns = now_ns;
  if (state->off_reason == kReasonPreempted) remember_other(next);
}

/* Where the thread blocked, read when it is about to run again: its stack is still that of the wait,
 * and by now it is known whether there will be a row. */
static __always_inline __u64 stack_of_wait(struct task_struct* next) {
  __u32 slot = 0;
  struct StackValue* scratch = bpf_map_lookup_elem(&cpu_scratch, &slot);
  if (!scratch) return 0;
  return keep_stack(
      scratch, bpf_get_task_stack(next, scratch->addresses, sizeof(scratch->addresses), 0), 0);
}

static __always_inline void run_again(struct task_struct* next, __u64 now_ns) {
  struct ThreadState* state = find_state(next);
  if (!state || state->off_start_ns == 0) return;
  struct OffCpuEvent event = {
      .header = {.time_ns = state->off_start_ns, .tgid = next->tgid, .tid = next->pid,
                 .kind = kEventOffCpu, .sub = state->off_reason},
      .duration_ns = now_ns - state->off_start_ns,
      .runnable_ns = state->waking_ns ? now_ns - state->waking_ns : ~0ULL,
      .waker_tid = state->waker_tid,
      .waker_tgid = state->waker_tgid,
      .preemptor_tid = state->preemptor_tid,
      .preemptor_tgid = state->preemptor_tgid,
      .syscall = state->off_syscall,
      .is_woken_by_irq = state->is_woken_by_irq,
  };
  state->off_start_ns = 0;
  bool is_long =
      event.duration_ns >= off_cpu_row_min_ns && event.duration_ns >= off_cpu_row_floor_ns;
  bool is_stored = is_long && is_row(now_ns, event.duration_ns >= stack_min_ns);
  if (is_stored) {
    if (event.header.sub != kReasonPreempted && !sheds_off_cpu_stacks)
      event.header.stack = stack_of_wait(next);
    is_stored = send_row(&event, sizeof(event));
  }
  roll_up(&event.header, event.duration_ns, 0, is_stored);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct* prev, struct task_struct* next) {
  __u64 now_ns = bpf_ktime_get_ns();
  if (is_target(next->tgid)) run_again(next, now_ns);
  /* The state is read from the task: the tracepoint's own argument exists since 5.18 only. */
  if (is_target(prev->tgid))
    leave(prev, next, preempt ? 0 : state_bits(prev), now_ns);
  return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct* task) {
  if (!is_target(task->tgid)) return 0;
  struct ThreadState* state = find_state(task);
  if (!state || state->off_start_ns == 0 || state->waking_ns != 0) return 0;
  state->waking_ns = bpf_ktime_get_ns();
  __u32 zero = 0;
  struct CpuTimes* cpu = bpf_map_lookup_elem(&cpu_times, &zero);
  state->is_woken_by_irq = cpu && cpu->irq_depth > 0;
  if (state->is_woken_by_irq) return 0;
  struct task_struct* waker = bpf_get_current_task_btf();
  state->waker_tid = waker->pid;
  state->waker_tgid = waker->tgid;
  if (!is_target(state->waker_tgid)) remember_other(waker);
  return 0;
}
