/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* One pair of programs for every function of the CUDA runtime, the driver and NCCL. The attach cookie
 * says which function it is; map `functions` says where its arguments are. */
#include "python.h"

/* Argument `slot` of the call: six registers, then the stack above the return address. */
static __always_inline __u64 argument(struct pt_regs* regs, int slot) {
  switch (slot) {
    case 0: return PT_REGS_PARM1(regs);
    case 1: return PT_REGS_PARM2(regs);
    case 2: return PT_REGS_PARM3(regs);
    case 3: return PT_REGS_PARM4(regs);
    case 4: return PT_REGS_PARM5(regs);
    case 5: return PT_REGS_PARM6(regs);
  }
  __u64 value = 0;
#if defined(__TARGET_ARCH_x86)
  if (slot > 5) bpf_probe_read_user(&value, sizeof(value),
                                    (void*)(PT_REGS_SP(regs) + 8 * (__u64)(slot - 5)));
#endif
  return value;
}

/* Bytes of an ncclDataType_t: int8 uint8 int32 uint32 int64 uint64 half float double bfloat16 fp8... */
static __always_inline __u64 nccl_type_bytes(__u64 type) {
  if (type == 2 || type == 3 || type == 7) return 4;
  if (type == 4 || type == 5 || type == 8) return 8;
  return type == 6 || type == 9 ? 2 : 1;
}

static __always_inline __u64 read_user(__u64 address) {
  __u64 value = 0;
  bpf_probe_read_user(&value, sizeof(value), (void*)address);
  return value;
}

static __always_inline __u64 size_of(struct pt_regs* regs, const struct FunctionSpec* spec) {
  if (spec->bytes_slot < 0) return 0;
  __u64 bytes = argument(regs, spec->bytes_slot);
  if (spec->bytes_pointed_at) {
    __u64 at = bytes + spec->bytes_pointed_at;
    bytes = read_user(at) * read_user(at + 8);
    return spec->dimension_count > 2 ? bytes * read_user(at + 16) : bytes;
  }
  if (spec->bytes_factor_slot < 0) return bytes;
  __u64 factor = argument(regs, spec->bytes_factor_slot);
  return bytes * (spec->factor_is_nccl_type ? nccl_type_bytes(factor) : factor);
}

static __always_inline void read_arguments(struct pt_regs* regs, const struct FunctionSpec* spec,
                                           struct CallInFlight* call) {
  call->bytes = size_of(regs, spec);
  call->copy_kind = spec->fixed_kind;
  if (spec->kind_slot >= 0) call->copy_kind = (__u8)(argument(regs, spec->kind_slot) + 1);
  call->has_stream = spec->stream_slot >= 0;
  call->stream = call->has_stream ? argument(regs, spec->stream_slot) : 0;
  call->event = spec->event_slot >= 0 ? argument(regs, spec->event_slot) : 0;
  if (spec->stream_pointed_at) call->stream = read_user(call->stream + spec->stream_pointed_at);
}

SEC("uprobe")
int call_entry(struct pt_regs* regs) {
  __u32 tgid = bpf_get_current_pid_tgid() >> 32;
  if (!is_target(tgid)) {
    if (!enrols_gpu_users || tgid == own_tgid) return 0;
    enrol(tgid);
  }
  struct ThreadState* state = make_state(bpf_get_current_task_btf());
  if (!state) return 0;
  __u32 function = (__u32)bpf_get_attach_cookie(regs);
  struct FunctionSpec* spec = bpf_map_lookup_elem(&functions, &function);
  __u32 depth = state->call_depth;
  if (!spec) return 0;
  if (depth >= GPUWHY_CALL_DEPTH) {
    count_loss(kLossCallTooDeep);
    return 0;
  }
  struct CallInFlight* call = &state->calls[depth & (GPUWHY_CALL_DEPTH - 1)];
  read_arguments(regs, spec, call);
  call->function = (__u16)function;
  call->call_id = ++state->last_call_id;
  state->call_depth = (__u8)(depth + 1);
  call->start_ns = bpf_ktime_get_ns();
  return 0;
}

/* Finds the call that returns: the innermost of this function. Calls above it never returned. */
static __always_inline int index_of(struct ThreadState* state, __u16 function) {
  for (int i = GPUWHY_CALL_DEPTH - 1; i >= 0; --i) {
    if (i < state->call_depth && state->calls[i].function == function) return i;
  }
  return -1;
}

static __always_inline __u64 python_stack_of_call(struct ThreadState* state, __u32 tgid) {
  struct PythonProcess* python = bpf_map_lookup_elem(&python_processes, &tgid);
  if (!python) return 0;
  struct PythonScratch* scratch = bpf_task_storage_get(
      &thread_walks, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (scratch) return take_python_stack(scratch, python, &state->python_thread, tgid);
  count_loss(kLossThreadState);
  return 0;
}

static __always_inline void send_call(struct pt_regs* regs, struct ThreadState* state, int index,
                                      __u64 now_ns) {
  struct CallInFlight* call = &state->calls[index & (GPUWHY_CALL_DEPTH - 1)];
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct CallEvent event = {
      .header = {.time_ns = call->start_ns, .tgid = pid_tgid >> 32, .tid = (__u32)pid_tgid,
                 .kind = kEventCall, .sub = call->function},
      .duration_ns = now_ns - call->start_ns,
      .bytes = call->bytes,
      .stream = call->stream,
      .event = call->event,
      .call_id = call->call_id,
      .return_code = (__s32)PT_REGS_RC(regs),
      .copy_kind = call->copy_kind,
      .has_stream = call->has_stream,
  };
  bool is_slow = event.duration_ns >= stack_min_ns;
  if (index > 0) event.parent_id = state->calls[(index - 1) & (GPUWHY_CALL_DEPTH - 1)].call_id;
  bool is_stored = is_row(now_ns, is_slow);
  if (is_stored) {
    if (is_slow) {
      event.header.stack = take_stack(regs, &state->scratch, BPF_F_USER_STACK, event.header.tgid);
      if (event.header.stack)
        event.python_stack = python_stack_of_call(state, event.header.tgid);
    }
    is_stored = send_row(&event, sizeof(event));
  }
  roll_up(&event.header, event.duration_ns, event.bytes, is_stored);
}

SEC("uretprobe")
int call_return(struct pt_regs* regs) {
  __u64 now_ns = bpf_ktime_get_ns();
  struct ThreadState* state = find_state(bpf_get_current_task_btf());
  if (!state) return 0;
  int index = index_of(state, (__u16)bpf_get_attach_cookie(regs));
  if (index < 0) {
    count_loss(kLossReturnAlone);
    return 0;
  }
  if (state->call_depth > index + 1)
    count_losses(kLossReturnMissing, state->call_depth - index - 1);
  state->call_depth = (__u8)index;
  send_call(regs, state, index, now_ns);
  return 0;
}
