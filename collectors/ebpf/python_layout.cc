// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/python_layout.h"

#include <fmt/format.h>

#include <cstring>

namespace gpuwhy {
namespace {

constexpr uint64_t kFrameLimit = 120;  // GPUWHY_FRAME_BYTES less one word
constexpr uint64_t kCodeLimit = 248;

// From offsetof with the headers of 3.11.7. A frame says itself whether C called it.
PythonProcess Python311() {
  PythonProcess python{};
  python.interpreters_head = 40;
  python.interpreter_next = 0;
  python.threads_head = 16;
  python.thread_next = 8;
  python.thread_native_id = 160;
  python.thread_frame = 56;
  python.cframe_frame = 8;
  python.frame_code = 32;
  python.frame_previous = 48;
  python.frame_instruction = 56;
  python.frame_is_entry = 68;
  python.frame_owner = 69;
  python.code_first_line = 72;
  python.code_file = 112;
  python.code_name = 128;
  python.code_lines = 136;
  python.code_instructions = 184;
  python.ascii_data = 48;
  python.compact_data = 72;
  return python;
}

// The same with 3.12.1. Frames that C called stand before a frame without code.
PythonProcess Python312() {
  PythonProcess python = Python311();
  python.threads_head = 72;
  python.thread_native_id = 144;
  python.cframe_frame = 0;
  python.frame_code = 0;
  python.frame_previous = 8;
  python.frame_is_entry = GPUWHY_NO_FIELD;
  python.frame_owner = 70;
  python.code_first_line = 68;
  python.code_instructions = 192;
  python.ascii_data = 40;
  python.compact_data = 56;
  return python;
}

// Indexes of words in _Py_DebugOffsets that moved from 3.13 to 3.14.
struct WordIndexes {
  size_t thread;
  size_t frame;
  size_t code;
};
constexpr size_t kVersionWord = 1;
constexpr size_t kFreeThreadedWord = 2;
constexpr WordIndexes kWords313{.thread = 19, .frame = 28, .code = 34};
constexpr WordIndexes kWords314{.thread = 22, .frame = 31, .code = 39};

PythonProcess ReadOffsets(std::span<const uint64_t> words, const WordIndexes& at) {
  const auto word = [&words](size_t index) { return static_cast<uint16_t>(words[index]); };
  PythonProcess python = Python312();
  python.interpreters_head = static_cast<uint32_t>(words[5]);
  python.interpreter_next = static_cast<uint32_t>(words[8]);
  python.threads_head = static_cast<uint32_t>(words[9]);
  python.thread_next = word(at.thread + 2);
  python.thread_frame = word(at.thread + 4);
  python.thread_native_id = word(at.thread + 6);
  python.cframe_frame = GPUWHY_NO_FIELD;
  python.frame_previous = word(at.frame + 1);
  python.frame_code = word(at.frame + 2);
  python.frame_instruction = word(at.frame + 3);
  python.frame_owner = word(at.frame + 5);
  python.code_file = word(at.code + 1);
  python.code_name = word(at.code + 3);
  python.code_lines = word(at.code + 4);
  python.code_first_line = word(at.code + 5);
  python.code_instructions = word(at.code + 9);
  return python;
}

Status Check(const PythonProcess& python) {
  for (const uint16_t offset :
       {python.frame_code, python.frame_previous, python.frame_instruction, python.frame_owner}) {
    if (offset > kFrameLimit) return CorruptInput("its frames are larger than any known");
  }
  for (const uint16_t offset :
       {python.code_file, python.code_name, python.code_lines, python.code_first_line}) {
    if (offset > kCodeLimit) return CorruptInput("its code objects are larger than any known");
  }
  return {};
}

Result<PythonProcess> FromDebugOffsets(uint64_t version, std::span<const uint64_t> words) {
  const bool has_cookie =
      words.size() >= kDebugOffsetWords && std::memcmp(words.data(), "xdebugpy", 8) == 0;
  if (!has_cookie || words[kVersionWord] >> 16U != version >> 16U) {
    return CorruptInput("_PyRuntime does not begin with the offsets of its version");
  }
  if (words[kFreeThreadedWord] != 0) {
    return Unavailable("a free-threaded build keeps its frames in another way");
  }
  const bool is_313 = version >> 16U == 0x030d;
  const PythonProcess python = ReadOffsets(words, is_313 ? kWords313 : kWords314);
  GPUWHY_RETURN_IF_ERROR(Check(python));
  return python;
}

}  // namespace

Result<PythonProcess> PythonLayoutOf(uint64_t version, std::span<const uint64_t> words) {
  switch (version >> 16U) {
    case 0x030b:
      return Python311();
    case 0x030c:
      return Python312();
    case 0x030d:
    case 0x030e:
      return FromDebugOffsets(version, words);
    default:
      return Unavailable(fmt::format("Python {}.{} is not one of 3.11 to 3.14", version >> 24U,
                                     version >> 16U & 0xFFU));
  }
}

}  // namespace gpuwhy
