/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The few kernel types and fields that the programs read. The loader relocates every access to the
 * running kernel's layout (CO-RE), so neither order nor size here matters, and no header of a
 * particular kernel is needed to build. Names with ___ are other versions of the same struct. */
#pragma once

typedef unsigned char __u8;
typedef signed char __s8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
#define true 1
#define false 0

#define BPF_ANY 0
#define BPF_NOEXIST 1
#define BPF_F_USER_STACK (1ULL << 8)
#define BPF_F_CURRENT_CPU 0xffffffffULL
#define BPF_F_NO_PREALLOC (1U << 0)
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1ULL
#define BPF_RB_NO_WAKEUP 1ULL
#define BPF_RB_FORCE_WAKEUP 2ULL
#define BPF_RB_AVAIL_DATA 0

enum bpf_map_type {
  BPF_MAP_TYPE_HASH = 1,
  BPF_MAP_TYPE_ARRAY = 2,
  BPF_MAP_TYPE_PERCPU_HASH = 5,
  BPF_MAP_TYPE_PERCPU_ARRAY = 6,
  BPF_MAP_TYPE_STACK_TRACE = 7,
  BPF_MAP_TYPE_LRU_HASH = 9,
  BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
  BPF_MAP_TYPE_RINGBUF = 27,
  BPF_MAP_TYPE_TASK_STORAGE = 29,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct mm_struct {
  struct task_struct* owner;
};

typedef struct {
  int counter;
} atomic_t;

struct signal_struct {
  atomic_t live;
};

struct upid {
  int nr;
};

struct pid {
  unsigned int level;
  struct upid numbers[1];
};

struct task_struct {
  unsigned int __state;
  int pid;
  int tgid;
  int exit_code;
  unsigned in_iowait : 1;
  struct mm_struct* mm;
  struct pid* thread_pid;
  struct task_struct* real_parent;
  struct task_struct* group_leader;
  struct signal_struct* signal;
  unsigned long long start_time;
  char comm[16];
};

/* Before 5.14. */
struct task_struct___old {
  long state;
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
  unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
  unsigned long orig_ax, ip, cs, flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
  __u64 regs[31];
  __u64 sp, pc, pstate;
};
struct pt_regs {
  struct user_pt_regs user_regs;
  __s32 syscallno;
};
#endif

struct gendisk {
  int major;
  int first_minor;
};

struct request_queue {
  struct gendisk* disk;
};

struct request {
  struct request_queue* q;
  unsigned int cmd_flags;
  unsigned int __data_len;
};

struct kernfs_node {
  __u64 id;
};

struct cgroup_subsys_state {
  struct cgroup* cgroup;
  struct cgroup_subsys_state* parent;
};

struct cgroup {
  struct cgroup_subsys_state self;
  struct kernfs_node* kn;
};

#pragma clang attribute pop

struct bpf_raw_tracepoint_args {
  __u64 args[0];
};

struct bpf_perf_event_data;
