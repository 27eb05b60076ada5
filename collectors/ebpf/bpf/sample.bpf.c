/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Stack samples of target threads while they run, from a software clock on every core. */
#include "python.h"

static __always_inline __u64 python_stack_of_sample(__u32 tgid) {
  __u32 zero = 0;
  struct PythonProcess* python = bpf_map_lookup_elem(&python_processes, &tgid);
  struct PythonScratch* scratch = bpf_map_lookup_elem(&sample_walks, &zero);
  if (!python || !scratch) return 0;
  struct ThreadState* state = find_state(bpf_get_current_task_btf());
  return take_python_stack(scratch, python, state ? &state->python_thread : 0, tgid);
}

SEC("perf_event")
int on_sample(struct bpf_perf_event_data* context) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  __u32 slot = 1;
  if (!is_target(pid_tgid >> 32)) return 0;
  struct StackValue* scratch = bpf_map_lookup_elem(&cpu_scratch, &slot);
  if (!scratch) return 0;
  struct SampleEvent event = {.header = {.time_ns = bpf_ktime_get_ns(), .tgid = pid_tgid >> 32,
                                         .tid = (__u32)pid_tgid, .kind = kEventSample},
                              .cpu = bpf_get_smp_processor_id()};
  event.header.stack = take_stack(context, scratch, BPF_F_USER_STACK, event.header.tgid);
  long kernel_bytes = bpf_get_stack(context, scratch->addresses, sizeof(scratch->addresses), 0);
  if (kernel_bytes > 0) event.kernel_stack = keep_stack(scratch, kernel_bytes, 0);
  if (event.header.stack) event.python_stack = python_stack_of_sample(event.header.tgid);
  send_if_room(&event, sizeof(event), kLossSample);
  return 0;
}
