// SPDX-License-Identifier: Apache-2.0
// Finds where a JSON object ends without parsing it: counts brackets outside strings, 64 bytes at a
// time. Pure functions, any thread. They do not check that the text is JSON.
#pragma once

#include <cstddef>
#include <string_view>

namespace gpuwhy::kineto {

// Readable bytes that must follow the end of every text given to FindValueEnd.
inline constexpr size_t kScanPaddingBytes = 64;

// `begin` points at '{' or '['. Returns one past the matching bracket, or null when it is not
// before `end`.
const char* FindValueEnd(const char* begin, const char* end);

enum class ArraySearch { kFound, kNeedMore, kAbsent };

struct ArrayPosition {
  ArraySearch outcome = ArraySearch::kNeedMore;
  size_t offset = 0;  // one past the '[' when found
};

// Looks in the beginning of a file for the events: {... "traceEvents": [ or a bare [.
ArrayPosition FindEventArray(std::string_view text);

inline bool IsSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace gpuwhy::kineto
