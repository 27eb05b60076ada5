/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the kernel side hands to the recorder: one struct per event, plain C for both sides.
 * All instants are CLOCK_MONOTONIC nanoseconds; the recorder turns them into Unix time once.
 * `tgid` is what people call the process id, `tid` the thread id, both of the initial namespace. */
#pragma once

#ifdef __cplusplus
#include <linux/types.h>
#endif

enum EventKind {
  kEventCall = 1,
  kEventOffCpu = 2,
  kEventHost = 3,
  kEventProcess = 4,
  kEventSample = 5,
};

/* Why a thread left its core, as far as the kernel side can tell; text in decode_off_cpu.cc. */
enum OffCpuReason {
  kReasonPreempted = 0, /* still runnable: somebody else got the core */
  kReasonSleep = 1,     /* nanosleep and its kin */
  kReasonIo = 2,        /* uninterruptible, accounted as waiting for a disk */
  kReasonLock = 3,      /* futex, or a lock inside the kernel */
  kReasonFault = 4,     /* blocked inside a page fault */
  kReasonPoll = 5,      /* poll, select, epoll */
  kReasonPipe = 6,      /* read or write on a pipe or another file that can block */
  kReasonNetwork = 7,   /* a socket call */
  kReasonChild = 8,     /* wait4, waitid */
  kReasonUnknown = 9,
  kReasonCount = 10,
};

enum HostKind {
  kHostBlockRead = 0,
  kHostBlockWrite = 1,
  kHostBlockDiscard = 2,
  kHostMmapLock = 3,  /* waited for an address-space lock; other: last known holder */
  kHostForeignMm = 4, /* other: a foreign thread held this process's address-space lock */
  kHostReclaim = 5,
  kHostCompaction = 6,
  kHostFault = 7, /* counted, never a row */
  kHostOomKill = 8,
  kHostFork = 9, /* counted here, told as ProcessEvent */
  kHostExec = 10,
  kHostThreadExit = 11,
  kHostExit = 12,
  kHostKindCount = 13,
};

enum ProcessChange {
  kProcessFork = 0,
  kThreadStart = 1,
  kProcessExec = 2,
  kThreadExit = 3,
  kProcessExit = 4,
  kLibrariesChanged = 5, /* the dynamic loader has mapped or unmapped libraries */
  kThreadRename = 6,     /* may be a thread that is no target but stands in rows */
};

/* Kinds of loss inside the kernel; each has a slot in map `losses`. */
enum KernelLoss {
  kLossRingFull = 0,      /* a row did not fit into the ring buffer; roll-ups have it */
  kLossThinned = 1,       /* a row was left out because of the rate limit; roll-ups have it */
  kLossRollUp = 2,        /* the roll-up map was full: neither */
  kLossCallTooDeep = 3,   /* more nested calls than a thread's stack of calls holds */
  kLossReturnMissing = 4, /* a call that never returned (longjmp, exit) */
  kLossReturnAlone = 5,   /* a return without entry: the call began before recording */
  kLossThreadState = 6,   /* no memory for the state of a thread */
  kLossStack = 7,         /* a stack could not be taken or stored */
  kLossLifecycle = 8,     /* fork, exec or exit did not fit: names and parents may be missing */
  kLossBlockIo = 9,       /* more block requests in flight than the map holds */
  kLossTarget = 10,       /* more processes than the map of targets holds */
  kLossSample = 11,       /* a stack sample did not fit */
  kLossPythonMemory =
      12, /* memory of a Python interpreter was not there or not what it should be */
  kLossPythonThreads = 13, /* more Python threads than are looked through */
  kLossPythonCode = 14,    /* the name of a Python function could not be kept */
  kLossSwitchIn = 15,      /* a thread was not seen to run again: its wait is missing */
  kLossRename = 16,        /* a new name did not fit: rows name the thread by its old one */
  kLossCount = 17,
};

#define GPUWHY_COMM_BYTES 16
#define GPUWHY_CALL_DEPTH 8
#define GPUWHY_STACK_DEPTH 64

struct EventHeader {
  __u64 time_ns; /* begin of the event, or its only instant */
  __u32 tgid;
  __u32 tid;
  __u16 kind; /* EventKind */
  __u16 sub;  /* function id, OffCpuReason, HostKind or ProcessChange */
  __u32 padding;
  __u64 stack; /* key in map `stacks`: user stack of a call, kernel stack of a wait; 0: none */
};

/* One stack, innermost address first. Its key is a hash of all of it and of the process. */
struct StackValue {
  __u32 depth;
  __u32 is_truncated;
  __u64 addresses[GPUWHY_STACK_DEPTH];
};

/* One call of a probed function, sent when it returns. */
struct CallEvent {
  struct EventHeader header; /* time_ns: entry; sub: function id */
  __u64 duration_ns;
  __u64 bytes;     /* copied, set or allocated; 0 when the function has no size */
  __u64 stream;    /* handle as passed; meaningful when has_stream */
  __u64 event;     /* handle of a CUDA event, 0 for none */
  __u32 call_id;   /* number of the call on its thread */
  __u32 parent_id; /* call_id of the enclosing call, 0 for none */
  __s32 return_code;
  __u8 copy_kind; /* cudaMemcpyKind + 1; 0: not a copy or not known */
  __u8 has_stream;
  __u16 padding;
  __u64 python_stack; /* key in map `python_stacks`, 0: none */
};

/* One stretch off the core, sent when the thread runs again. */
struct OffCpuEvent {
  struct EventHeader header; /* time_ns: switched out; sub: OffCpuReason; stack: kernel stack */
  __u64 duration_ns;
  __u64 runnable_ns; /* ready, waiting for a core; ~0 when the wake-up was not seen */
  __u32 waker_tid;   /* 0: woken from an interrupt, or not seen */
  __u32 waker_tgid;
  __u32 preemptor_tid; /* who got the core; 0: the idle task */
  __u32 preemptor_tgid;
  __s16 syscall; /* number of the system call it was in, -1 for none */
  __u8 is_woken_by_irq;
  __u8 padding[5];
};

struct HostEvent {
  struct EventHeader header; /* sub: HostKind; stack: kernel stack or none */
  __u64 duration_ns;
  __u64 bytes;
  __u32 other_tgid;
  __u32 other_tid;
  __u32 device; /* major << 20 | minor of a block request */
  __u32 padding;
};

struct ProcessEvent {
  struct EventHeader header; /* sub: ProcessChange; tgid, tid: the one that changed */
  __u32 parent_tgid;
  __u32 parent_tid;
  __s32 exit_code;
  __u32 padding;
  char comm[GPUWHY_COMM_BYTES];
};

struct SampleEvent {
  struct EventHeader header; /* stack: user stack */
  __u64 kernel_stack;
  __u64 python_stack; /* key in map `python_stacks`, 0: none */
  __u32 cpu;
  __u32 padding;
};

/* Exact roll-ups: one entry per second, process, name and histogram bucket (schema/histogram.h). */
struct RollUpKey {
  __u32 second; /* of the event's start, Unix time */
  __u32 tgid;
  __u16 kind;   /* kEventCall, kEventOffCpu or kEventHost */
  __u16 sub;    /* as in EventHeader */
  __u32 bucket; /* of the duration */
};

struct RollUpValue {
  __u64 event_count;
  __u64 stored_count; /* of these, sent as rows */
  __u64 sum_ns;
  __u64 min_ns;
  __u64 max_ns;
  __u64 sum_bytes;
};

/* How to read the arguments of a probed function: slots 0-5 are registers, from 6 on the stack. */
struct FunctionSpec {
  __s8 bytes_slot;          /* -1: none */
  __s8 bytes_factor_slot;   /* rows of a 2-D copy: bytes = both multiplied; -1: none */
  __s8 kind_slot;           /* cudaMemcpyKind argument; -1: fixed_kind */
  __s8 stream_slot;         /* -1: none */
  __u8 fixed_kind;          /* cudaMemcpyKind + 1; 0: none */
  __u8 factor_is_nccl_type; /* the factor is an ncclDataType_t: multiply by its size */
  __u8 bytes_pointed_at;  /* bytes_slot is a pointer: the width is at this offset of what it points
                             to, followed by height and depth; 0: it is the size itself */
  __u8 dimension_count;   /* how many of width, height and depth; 0 when not pointed to */
  __u8 stream_pointed_at; /* the same for stream_slot */
  __s8 event_slot;        /* -1: none */
  __u8 padding[2];
};

/* Name of a thread that is no target itself but was somebody's waker, preemptor or lock holder. */
struct OtherThread {
  __u64 start_ns; /* numbers are given again: tells whose this one is */
  __u32 tgid;
  __u32 padding;
  char comm[GPUWHY_COMM_BYTES];
};

/* Of one CPU: time in interrupts, exact. */
struct CpuTimes {
  __u64 softirq_start_ns;
  __u64 softirq_ns; /* since load */
  __u64 irq_start_ns;
  __u64 irq_ns;
  __u32 irq_depth; /* nesting of interrupts and softirqs now */
  __u32 padding;
};
