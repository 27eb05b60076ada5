// SPDX-License-Identifier: Apache-2.0
// Room for millions of rows at once. Growing step by step would copy them several times, and each
// new 4 KiB page costs a fault: on huge pages that is a hundredth.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace gpuwhy {

// `count` is a guess from a file that may lie: it is bounded, and memory is taken as rows come.
template <typename T>
void ReserveRows(std::vector<T>& rows, int64_t count) {
  constexpr int64_t kMostRows = int64_t{1} << 24;
  constexpr size_t kHugePage = size_t{1} << 21;
  rows.reserve(static_cast<size_t>(std::clamp(count, int64_t{0}, kMostRows)));
  void* begin = rows.data();
  size_t size = rows.capacity() * sizeof(T);
  if (std::align(kHugePage, kHugePage, begin, size) == nullptr) return;
  madvise(begin, size & ~(kHugePage - 1), MADV_HUGEPAGE);
}

}  // namespace gpuwhy
