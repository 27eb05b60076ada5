/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Defines what maps.h declares. */
#include "kernel_types.h"
#include <bpf/bpf_helpers.h>

#define GPUWHY_MAP
#include "maps.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 own_tgid = 0;
const volatile __u32 enrols_gpu_users = 1;
const volatile __u64 clock_offset_ns = 0;
const volatile __u64 ring_bytes = 16 * 1024 * 1024;
const volatile __u64 off_cpu_row_min_ns = 10000;
const volatile __u64 lock_row_min_ns = 20000;
const volatile __u64 stack_min_ns = 1000000;
const volatile __u64 rows_per_cpu_second = 100000;
const volatile __u64 cgroup_id = 0;
const volatile __u32 lacks_block_io_start = 0;
const volatile char comm_to_enrol[GPUWHY_COMM_BYTES] = {};
volatile __u64 off_cpu_row_floor_ns = 0;
volatile __u32 sheds_off_cpu_stacks = 0;
