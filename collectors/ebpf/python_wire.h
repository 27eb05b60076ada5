/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the two sides tell each other about Python: the recorder says where things are in a process,
 * the kernel side returns stacks of code objects and what these are called. Plain C for both. */
#pragma once

#ifdef __cplusplus
#include <linux/types.h>
#endif

#define GPUWHY_PYTHON_DEPTH 64
#define GPUWHY_PYTHON_NAME_BYTES 128
#define GPUWHY_PYTHON_FILE_BYTES 256
#define GPUWHY_PYTHON_LINES_BYTES 512
#define GPUWHY_NO_FIELD 0xffff

/* Where CPython keeps things: addresses of this process, and offsets into structs of its version.
 */
struct PythonProcess {
  __u64 runtime;   /* &_PyRuntime */
  __u64 code_type; /* &PyCode_Type: what is not of this type is no code object */
  __u32 interpreters_head;
  __u32 interpreter_next;
  __u32 threads_head;
  __u16 thread_next;
  __u16 thread_native_id;
  __u16 thread_frame; /* of the current frame, or of the cframe */
  __u16 cframe_frame; /* GPUWHY_NO_FIELD: thread_frame is the frame itself (3.13) */
  __u16 frame_code;   /* into _PyInterpreterFrame, all below 128 */
  __u16 frame_previous;
  __u16 frame_instruction;
  __u16 frame_owner;
  __u16 frame_is_entry;  /* 3.11 only; else GPUWHY_NO_FIELD */
  __u16 code_first_line; /* into PyCodeObject, all below 256 */
  __u16 code_file;
  __u16 code_name;
  __u16 code_lines;
  __u16 code_instructions;
  __u16 ascii_data;   /* of a str that is ASCII */
  __u16 compact_data; /* of any other str */
};

/* One Python frame. */
struct PythonFrame {
  __u64 code;              /* key in map `python_codes` */
  __s32 instruction_bytes; /* from the start of the code; negative: none yet */
  __u32 is_entry;          /* C called it; otherwise the frame outside of it did, without C */
};

/* Innermost first. The key is a hash of all frames. */
struct PythonStack {
  __u32 depth;
  __u32 is_truncated;
  struct PythonFrame frames[GPUWHY_PYTHON_DEPTH];
};

/* What tells a code object from another that takes its place in memory. */
struct PythonCodeIdentity {
  __u64 address;
  __u64 file; /* addresses of the objects */
  __u64 name;
  __u64 lines;
  __u32 first_line;
  __u32 tgid;
};

/* A str: characters of 1, 2 or 4 bytes, as many as fit. */
struct PythonText {
  __u32 length; /* in characters, of the whole text */
  __u8 character_bytes;
  __u8 padding[3];
};

/* A code object when it was first met. */
struct PythonCode {
  struct PythonCodeIdentity identity;
  struct PythonText name_text;
  struct PythonText file_text;
  __u32 lines_bytes; /* of the whole table; at most GPUWHY_PYTHON_LINES_BYTES of it are here */
  __u32 padding;
  char name[GPUWHY_PYTHON_NAME_BYTES]; /* co_qualname */
  char file[GPUWHY_PYTHON_FILE_BYTES];
  __u8 lines[GPUWHY_PYTHON_LINES_BYTES]; /* co_linetable */
};

/* The key of a code object, for both sides. */
/* NOLINTNEXTLINE(readability-identifier-naming) */
static inline __u64 python_code_key(const struct PythonCodeIdentity* identity) {
  const __u64 factor = 0x9E3779B97F4A7C15ULL;
  __u64 key = identity->address ^ identity->tgid;
  key = key * factor ^ (key >> 29);
  key = (key ^ identity->file) * factor;
  key = (key ^ (key >> 29) ^ identity->name) * factor;
  key = (key ^ (key >> 29) ^ identity->lines) * factor;
  key = (key ^ (key >> 29) ^ identity->first_line) * factor;
  key ^= key >> 32;
  return key == 0 ? 1 : key;
}
