/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Time in interrupts and softirqs per core, and whether a wake-up came from one: then the current
 * task is only whom the interrupt hit, never the waker. */
#include "common.h"

static __always_inline struct CpuTimes* this_cpu(void) {
  __u32 zero = 0;
  return bpf_map_lookup_elem(&cpu_times, &zero);
}

static __always_inline int enter(bool is_softirq) {
  struct CpuTimes* cpu = this_cpu();
  if (!cpu) return 0;
  ++cpu->irq_depth;
  if (is_softirq) cpu->softirq_start_ns = bpf_ktime_get_ns();
  else if (cpu->irq_start_ns == 0) cpu->irq_start_ns = bpf_ktime_get_ns();
  return 0;
}

/* An exit without entry is the first event after attaching. */
static __always_inline int leave(bool is_softirq) {
  struct CpuTimes* cpu = this_cpu();
  if (!cpu || cpu->irq_depth == 0) return 0;
  --cpu->irq_depth;
  __u64* start_ns = is_softirq ? &cpu->softirq_start_ns : &cpu->irq_start_ns;
  if (*start_ns == 0) return 0;
  *(is_softirq ? &cpu->softirq_ns : &cpu->irq_ns) += bpf_ktime_get_ns() - *start_ns;
  *start_ns = 0;
  return 0;
}

/* Ends stand before beginnings, and are attached first: a begin whose end was not seen would make
 * every later wake-up of its core look like one from an interrupt. Timers of x86 come through a
 * vector of their own. */
SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_exit) { return leave(true); }

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_exit) { return leave(false); }

SEC("tp_btf/local_timer_exit")
int BPF_PROG(on_timer_exit) { return leave(false); }

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq_entry) { return enter(true); }

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq_entry) { return enter(false); }

SEC("tp_btf/local_timer_entry")
int BPF_PROG(on_timer_entry) { return enter(false); }
