/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Maps and settings that all programs share. maps.bpf.c defines them (GPUWHY_MAP empty), the others
 * declare them; the linker of BPF objects joins the two. Sizes marked 0 are set before loading. */
#pragma once

#include "python_wire.h"
#include "wire.h"

#ifndef GPUWHY_MAP
#define GPUWHY_MAP extern
#endif

/* One call in flight. */
struct CallInFlight {
  __u64 start_ns;
  __u64 bytes;
  __u64 stream;
  __u64 event;
  __u32 call_id;
  __u16 function;
  __u8 copy_kind;
  __u8 has_stream;
};

/* What is known of a thread between two events. Lives and dies with the thread. */
struct ThreadState {
  /* off the core since; 0: on it */
  __u64 off_start_ns;
  __u64 waking_ns;
  __u32 waker_tid, waker_tgid;
  __u32 preemptor_tid, preemptor_tgid;
  __u16 off_reason;
  __s16 off_syscall;
  __u8 is_woken_by_irq;
  __u8 call_depth;
  __u16 padding;
  __u32 last_call_id;
  /* address-space lock being waited for, or held on somebody else's */
  __u64 lock_start_ns, lock_mm;
  __u32 holder_tid, holder_tgid;
  __u64 hold_start_ns, hold_mm;
  __u64 reclaim_start_ns, compaction_start_ns;
  __u64 python_thread; /* its PyThreadState, as last seen */
  struct CallInFlight calls[GPUWHY_CALL_DEPTH];
  struct StackValue scratch;
};

#define GPUWHY_FRAME_BYTES 128

/* One walk over Python frames. */
struct PythonScratch {
  __u64 interpreter;
  __u64 thread;
  __u64 frame;     /* to look at next */
  __u8 bytes[256]; /* of the frame or code object that is looked at */
  struct PythonStack stack;
  struct PythonCode code;
};

/* The address space of a target and who was last seen to take its lock. */
struct MmState {
  __u32 tgid; /* the target it belongs to */
  __u32 holder_tid, holder_tgid;
  __u64 released_ns; /* when the holder let go; 0: it still holds */
};

struct BlockRequest {
  __u64 start_ns;
  __u32 tgid, tid;
  __u32 bytes;
  __u32 device;
  __u16 host_kind;
};

/* Rows of this second on this CPU, for the rate limit. */
struct RowBudget {
  __u64 second;
  __u64 row_count;
};

/* Settings, written once before loading. */
extern const volatile __u32 own_tgid;             /* the recorder: never a target, never a row */
extern const volatile __u32 enrols_gpu_users;     /* a process becomes a target by its first call */
extern const volatile __u64 clock_offset_ns;      /* Unix time minus CLOCK_MONOTONIC */
extern const volatile __u64 ring_bytes;           /* size of map `events` */
extern const volatile __u64 off_cpu_row_min_ns;   /* shorter stretches are counted, not rows */
extern const volatile __u64 lock_row_min_ns;      /* the same for waits and holds of mmap_lock */
extern const volatile __u64 stack_min_ns;         /* calls of this length get their user stack */
extern const volatile __u64 rows_per_cpu_second;  /* above it only slow events are rows */
extern const volatile __u64 cgroup_id;            /* enrol what moves into it; 0: none */
extern const volatile __u32 lacks_block_io_start; /* before Linux 6.5: block_rq_insert begins */
extern const volatile char comm_to_enrol[GPUWHY_COMM_BYTES];

/* Changed while recording, when it costs too much. */
extern volatile __u64 off_cpu_row_floor_ns; /* as off_cpu_row_min_ns; the larger counts */
extern volatile __u32 sheds_off_cpu_stacks;

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 16 * 1024 * 1024);
} events SEC(".maps");

/* Processes to record, by tgid. */
GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, __u8);
} targets SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct ThreadState);
} threads SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 512);
  __type(key, __u32);
  __type(value, struct FunctionSpec);
} functions SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, kLossCount);
  __type(key, __u32);
  __type(value, __u64);
} losses SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 16384);
  __type(key, __u64);
  __type(value, struct StackValue);
} stacks SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 8192);
  __type(key, __u32);
  __type(value, struct OtherThread);
} others SEC(".maps");

/* By address of the mm_struct. */
GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 4096);
  __type(key, __u64);
  __type(value, struct MmState);
} address_spaces SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __type(key, __u64); /* address of the request */
  __type(value, struct BlockRequest);
} block_requests SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct RowBudget);
} row_budgets SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct CpuTimes);
} cpu_times SEC(".maps");

/* Scratch of programs that run with interrupts off: 0 sched_switch, 1 perf events. */
GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 2);
  __type(key, __u32);
  __type(value, struct StackValue);
} cpu_scratch SEC(".maps");

/* Processes that run CPython, by tgid. */
GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, struct PythonProcess);
} python_processes SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 8192);
  __type(key, __u64);
  __type(value, struct PythonStack);
} python_stacks SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 8192);
  __type(key, __u64);
  __type(value, struct PythonCode);
} python_codes SEC(".maps");

/* A walk over Python frames: of samples here, of other events with their thread, since there
 * another thread may come in between. */
GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct PythonScratch);
} sample_walks SEC(".maps");

GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct PythonScratch);
} thread_walks SEC(".maps");

/* Roll-ups go to the map in slot 0: a hash of RollUpKey to RollUpValue that the recorder makes. It
 * exchanges the map for an empty one each second; the exchange waits until no program uses the old
 * one, so that nothing is counted twice or lost. */
GPUWHY_MAP struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 1);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(__u32));
} roll_ups SEC(".maps");
