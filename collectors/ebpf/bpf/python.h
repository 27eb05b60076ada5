/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Walks the Python frames of the current thread: interpreter -> thread state -> frames -> code
 * objects. All is read with the faults of the process's memory counted, never waited for. The state
 * of the walk is in `scratch`, so that the verifier sees each step alike. */
#pragma once

#include "common.h"

#define PYTHON_THREADS 256 /* thread states looked at to find the current thread's */
#define PYTHON_STEPS 96    /* frames looked at, shims included */
#define FRAME_OWNED_BY_C 3 /* this and higher owners: no Python code */

static __always_inline bool read_python(void* to, __u64 size_bytes, __u64 address) {
  if (bpf_probe_read_user(to, size_bytes, (void*)address) == 0) return true;
  count_loss(kLossPythonMemory);
  return false;
}

/* The smaller one, in a way that the verifier sees to be bounded. */
static __always_inline __u64 at_most(__u64 value, __u64 limit) {
  barrier_var(value);
  if (value > limit) value = limit;
  barrier_var(value);
  return value;
}

static __always_inline __u64 python_word(__u64 address) {
  __u64 word = 0;
  return read_python(&word, sizeof(word), address) ? word : 0;
}

/* A field of what was read into `scratch->bytes`. */
static __always_inline __u64 field_of(const struct PythonScratch* scratch, __u32 offset) {
  return *(const __u64*)(scratch->bytes + (offset & 0xf8));
}

/* The number of the current thread as the process itself sees it. */
static __always_inline __u32 innermost_tid(struct task_struct* task) {
  struct pid* pid = BPF_CORE_READ(task, thread_pid);
  __u32 level = BPF_CORE_READ(pid, level);
  __s32 number = 0;
  const void* at = __builtin_preserve_access_index(&pid->numbers[0].nr);
  bpf_probe_read_kernel(&number, sizeof(number), at + level * bpf_core_type_size(struct upid));
  return (__u32)number;
}

static __always_inline __u64 frame_of_thread(const struct PythonProcess* python, __u64 thread) {
  __u64 frame = python_word(thread + python->thread_frame);
  if (frame == 0 || python->cframe_frame == GPUWHY_NO_FIELD) return frame;
  return python_word(frame + python->cframe_frame);
}

static __always_inline bool is_thread(const struct PythonProcess* python, __u64 thread, __u32 tid) {
  __u64 number = 0;
  /* Not counted: the cached thread state may be gone. */
  bpf_probe_read_user(&number, sizeof(number), (void*)(thread + python->thread_native_id));
  return number == tid;
}

/* Sets scratch->frame to the innermost frame of thread `tid`; to 0 when it runs no Python. A new
 * thread state may still have the number of its maker, but then it has no frame. */
static __noinline int find_python_frame(struct PythonScratch* scratch,
                                        const struct PythonProcess* python, __u32 tid) {
  scratch->interpreter = python_word(python->runtime + python->interpreters_head);
  scratch->thread = scratch->frame = 0;
  for (int i = 0; i < PYTHON_THREADS; ++i) {
    if (scratch->thread == 0) {
      if (scratch->interpreter == 0) return 0;
      scratch->thread = python_word(scratch->interpreter + python->threads_head);
      scratch->interpreter = python_word(scratch->interpreter + python->interpreter_next);
      continue;
    }
    if (is_thread(python, scratch->thread, tid)) {
      scratch->frame = frame_of_thread(python, scratch->thread);
      if (scratch->frame) return 0;
    }
    scratch->thread = python_word(scratch->thread + python->thread_next);
  }
  count_loss(kLossPythonThreads);
  return 0;
}

/* Reads a str object: its length and kind, and its characters as far as `limit` bytes. */
static __always_inline void read_text(const struct PythonProcess* python, __u64 address,
                                      struct PythonText* text, char* characters, __u32 limit) {
  __u64 head[3] = {}; /* length, hash, state */
  text->length = text->character_bytes = 0;
  if (!read_python(head, sizeof(head), address + 16)) return;
  /* Bits after the two (of early 3.14: sixteen) of `interned`: kind, compact, ascii. */
  __u32 state = (head[2] >> 2) & 7 ? head[2] >> 2 : head[2] >> 16;
  __u64 size_bytes = at_most(head[0] * (state & 7), limit);
  __u64 data = address + (state & 16 ? python->ascii_data : python->compact_data);
  if (!read_python(characters, size_bytes, data)) return;
  text->length = head[0];
  text->character_bytes = state & 7;
}

static __always_inline void read_lines(__u64 address, struct PythonCode* code) {
  __u64 size_bytes = python_word(address + 16);
  code->lines_bytes = (__u32)size_bytes;
  read_python(code->lines, at_most(size_bytes, sizeof(code->lines)), address + 32);
}

/* Names the code object of scratch->code.identity, met for the first time. */
static __noinline int keep_python_code(struct PythonScratch* scratch,
                                       const struct PythonProcess* python, __u64 key) {
  struct PythonCode* code = &scratch->code;
  read_text(python, code->identity.name, &code->name_text, code->name, sizeof(code->name));
  read_text(python, code->identity.file, &code->file_text, code->file, sizeof(code->file));
  read_lines(code->identity.lines, code);
  if (bpf_map_update_elem(&python_codes, &key, code, BPF_ANY)) count_loss(kLossPythonCode);
  return 0;
}

/* Reads what identifies the code object at `address`; false when it is none. */
static __always_inline bool read_code(struct PythonScratch* scratch,
                                      const struct PythonProcess* python, __u64 address) {
  struct PythonCodeIdentity* identity = &scratch->code.identity;
  __u64 size_bytes = at_most(python->code_lines + 8, sizeof(scratch->bytes));
  if (!read_python(scratch->bytes, size_bytes, address)) return false;
  if (field_of(scratch, 8) != python->code_type) {
    count_loss(kLossPythonMemory);
    return false;
  }
  identity->address = address;
  identity->file = field_of(scratch, python->code_file);
  identity->name = field_of(scratch, python->code_name);
  identity->lines = field_of(scratch, python->code_lines);
  identity->first_line = *(__u32*)(scratch->bytes + (python->code_first_line & 0xfc));
  return true;
}

/* Adds the frame at scratch->frame and goes on to the one that called it; 0 ends the walk. */
static __noinline int step_python(struct PythonScratch* scratch,
                                  const struct PythonProcess* python) {
  struct PythonStack* stack = &scratch->stack;
  __u32 depth = stack->depth;
  if (!read_python(scratch->bytes, GPUWHY_FRAME_BYTES, scratch->frame)) return 0;
  scratch->frame = field_of(scratch, python->frame_previous);
  if (scratch->bytes[python->frame_owner & 0xff] >= FRAME_OWNED_BY_C) {
    if (depth > 0) stack->frames[(depth - 1) & (GPUWHY_PYTHON_DEPTH - 1)].is_entry = 1;
    return 1;
  }
  stack->is_truncated = depth >= GPUWHY_PYTHON_DEPTH;
  if (stack->is_truncated) return 0;
  struct PythonFrame* frame = &stack->frames[depth & (GPUWHY_PYTHON_DEPTH - 1)];
  __u64 code = field_of(scratch, python->frame_code) & ~7ULL; /* 3.14 has tags in these bits */
  __u64 instruction = field_of(scratch, python->frame_instruction);
  frame->is_entry =
      python->frame_is_entry == GPUWHY_NO_FIELD ? 0 : scratch->bytes[python->frame_is_entry & 0xff];
  frame->instruction_bytes = (__s32)(instruction - code - python->code_instructions);
  if (!read_code(scratch, python, code)) return 0;
  frame->code = python_code_key(&scratch->code.identity);
  stack->depth = depth + 1;
  if (!bpf_map_lookup_elem(&python_codes, &frame->code))
    keep_python_code(scratch, python, frame->code);
  return 1;
}

static __always_inline __u64 keep_python_stack(struct PythonScratch* scratch) {
  __u64 key = 0x9E3779B97F4A7C15ULL;
  for (__u32 i = 0; i < GPUWHY_PYTHON_DEPTH; ++i) {
    if (i >= scratch->stack.depth) break;
    const struct PythonFrame* frame = &scratch->stack.frames[i];
    key = (key ^ frame->code ^ (__u32)frame->instruction_bytes) * 0x9E3779B97F4A7C15ULL;
    key ^= (key >> 32) + frame->is_entry;
  }
  if (key == 0) key = 1;
  if (!bpf_map_lookup_elem(&python_stacks, &key) &&
      bpf_map_update_elem(&python_stacks, &key, &scratch->stack, BPF_ANY)) {
    count_loss(kLossStack);
    return 0;
  }
  return key;
}

/* The key of the current thread's Python stack; 0 when it runs no Python. `thread` remembers its
 * thread state from one event to the next and may be null. */
static __always_inline __u64 take_python_stack(struct PythonScratch* scratch,
                                               const struct PythonProcess* python, __u64* thread,
                                               __u32 tgid) {
  __u32 tid = innermost_tid(bpf_get_current_task_btf());
  scratch->frame = 0;
  if (thread && *thread && is_thread(python, *thread, tid))
    scratch->frame = frame_of_thread(python, *thread);
  if (scratch->frame == 0) {
    find_python_frame(scratch, python, tid);
    if (thread && scratch->frame) *thread = scratch->thread;
  }
  scratch->stack.depth = scratch->stack.is_truncated = 0;
  scratch->code.identity.tgid = tgid;
  for (int i = 0; i < PYTHON_STEPS && scratch->frame; ++i) {
    if (!step_python(scratch, python)) break;
  }
  if (scratch->frame) scratch->stack.is_truncated = 1;
  return scratch->stack.depth ? keep_python_stack(scratch) : 0;
}
