/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Processes and threads come and go: children of targets become targets in the kernel, before they
 * run their first instruction. */
#include "common.h"

static __always_inline void send_change(struct task_struct* task, __u16 change, __u32 parent_tgid,
                                        __u32 parent_tid) {
  struct ProcessEvent event = {
      .header = {.time_ns = bpf_ktime_get_ns(), .tgid = BPF_CORE_READ(task, tgid),
                 .tid = BPF_CORE_READ(task, pid), .kind = kEventProcess, .sub = change},
      .parent_tgid = parent_tgid,
      .parent_tid = parent_tid,
      .exit_code = BPF_CORE_READ(task, exit_code),
  };
  bpf_probe_read_kernel(&event.comm, sizeof(event.comm), &task->comm);
  bool is_stored = bpf_ringbuf_output(&events, &event, sizeof(event), wake_flags(used_ring_bytes())) == 0;
  if (!is_stored) count_loss(kLossLifecycle);
  /* As the recorder's rows: a fork is the parent's, the start of a thread too. */
  struct EventHeader counted = {.time_ns = event.header.time_ns, .kind = kEventHost,
                                .tgid = parent_tgid ? parent_tgid : event.header.tgid};
  counted.sub = change == kProcessExec   ? kHostExec
                : change == kThreadExit  ? kHostThreadExit
                : change == kProcessExit ? kHostExit
                                         : kHostFork;
  if (is_target(counted.tgid)) roll_up(&counted, 0, 0, is_stored);
}

/* A fork has the address space of its parent, and so its interpreter. */
static __always_inline void inherit_python(__u32 tgid, __u32 parent_tgid) {
  struct PythonProcess* python = bpf_map_lookup_elem(&python_processes, &parent_tgid);
  if (python && bpf_map_update_elem(&python_processes, &tgid, python, BPF_ANY))
    count_loss(kLossPythonCode);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct* parent, struct task_struct* child) {
  __u32 tgid = BPF_CORE_READ(child, tgid);
  __u32 parent_tgid = BPF_CORE_READ(parent, tgid);
  if (!is_target(parent_tgid)) return 0;
  if (tgid != parent_tgid) {
    enrol(tgid);
    inherit_python(tgid, parent_tgid);
  }
  send_change(child, tgid != parent_tgid ? kProcessFork : kThreadStart, parent_tgid,
              BPF_CORE_READ(parent, pid));
  return 0;
}

static __always_inline bool has_wanted_name(struct task_struct* task) {
  char comm[GPUWHY_COMM_BYTES];
  if (!comm_to_enrol[0]) return false;
  bpf_probe_read_kernel(&comm, sizeof(comm), &task->comm);
  for (int i = 0; i < GPUWHY_COMM_BYTES; ++i) {
    if (comm[i] != comm_to_enrol[i]) return false;
    if (!comm[i]) break;
  }
  return true;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct* task) {
  __u32 tgid = BPF_CORE_READ(task, tgid);
  if (has_wanted_name(task)) enrol(tgid);
  bpf_map_delete_elem(&python_processes, &tgid);
  /* Of threads that rows have named already, the new name is wanted too: on_rename has told it. */
  if (is_target(tgid)) send_change(task, kProcessExec, 0, 0);
  return 0;
}

/* By prctl, pthread_setname_np or exec; the task still has its old name. What rows say of a thread
 * is its last name. */
SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct* task, const char* comm) {
  struct ProcessEvent event = {
      .header = {.time_ns = bpf_ktime_get_ns(), .tgid = BPF_CORE_READ(task, tgid),
                 .tid = BPF_CORE_READ(task, pid), .kind = kEventProcess, .sub = kThreadRename}};
  struct OtherThread* other = find_other(task);
  if (!other && !is_target(event.header.tgid)) return 0;
  bpf_probe_read_kernel_str(&event.comm, sizeof(event.comm), comm);
  if (other) __builtin_memcpy(&other->comm, &event.comm, sizeof(event.comm));
  send_if_room(&event, sizeof(event), kLossRename);
  return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct* task) {
  __u32 tgid = BPF_CORE_READ(task, tgid);
  if (!is_target(tgid)) return 0;
  struct ThreadState* state = find_state(task);
  if (state) {
    for (int i = 0; i < GPUWHY_CALL_DEPTH; ++i) {
      if (i < state->call_depth) count_loss(kLossReturnMissing);
    }
    state->call_depth = 0;
  }
  /* The main thread may end before the others: the process ends with the last of them. */
  bool is_last = task->signal->live.counter == 0;
  send_change(task, is_last ? kProcessExit : kThreadExit, 0, 0);
  /* Not when its number is free again: a parent that never asks for the end keeps that for ever. */
  if (is_last) {
    bpf_map_delete_elem(&targets, &tgid);
    bpf_map_delete_elem(&python_processes, &tgid);
  }
  return 0;
}

/* At _dl_debug_state, which every dynamic loader calls for debuggers when its list of libraries has
 * changed. The recorder looks at once, so that a library is probed before much of it has run. */
SEC("uprobe")
int on_libraries(struct pt_regs* regs) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct ProcessEvent event = {.header = {.time_ns = bpf_ktime_get_ns(), .tgid = pid_tgid >> 32,
                                          .tid = (__u32)pid_tgid, .kind = kEventProcess,
                                          .sub = kLibrariesChanged}};
  if (!is_target(event.header.tgid) && !enrols_gpu_users) return 0;
  if (bpf_ringbuf_output(&events, &event, sizeof(event), BPF_RB_FORCE_WAKEUP))
    count_loss(kLossLifecycle);
  return 0;
}

SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_cgroup_attach, struct cgroup* destination, const char* path,
             struct task_struct* task) {
  if (cgroup_id == 0) return 0;
  struct cgroup* group = destination;
  for (int level = 0; level < 16 && group; ++level) {
    if (BPF_CORE_READ(group, kn, id) == cgroup_id) {
      enrol(BPF_CORE_READ(task, tgid));
      break;
    }
    group = (struct cgroup*)BPF_CORE_READ(group, self.parent, cgroup);
  }
  return 0;
}

SEC("tp_btf/mark_victim")
int BPF_PROG(on_oom_kill, struct task_struct* task) {
  __u32 tgid = BPF_CORE_READ(task, tgid);
  struct HostEvent event = {.header = {.time_ns = bpf_ktime_get_ns(), .tgid = tgid,
                                       .tid = BPF_CORE_READ(task, pid), .kind = kEventHost,
                                       .sub = kHostOomKill}};
  if (!is_target(tgid)) return 0;
  if (bpf_ringbuf_output(&events, &event, sizeof(event), BPF_RB_FORCE_WAKEUP))
    count_loss(kLossLifecycle);
  else
    roll_up(&event.header, 0, 0, true);
  return 0;
}
