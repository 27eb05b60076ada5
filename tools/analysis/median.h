// SPDX-License-Identifier: Apache-2.0
// The middle of some values. Pure function, any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpuwhy {

// Nearest rank, the lower of two; 0 for none.
inline int64_t MedianOf(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<int64_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace gpuwhy
