// SPDX-License-Identifier: Apache-2.0
// Series of one core each have a bound: on machines with more cores the rest is one series.
#pragma once

#include <string>

namespace gpuwhy {

inline constexpr int kCoreSeries = 64;

// The core under which the values of `core` are kept: itself, or kCoreSeries for all further ones.
inline int SeriesOf(int core) {
  return core < kCoreSeries ? core : kCoreSeries;
}

// "system.core[3]", "system.core[64+]"
inline std::string CoreLabel(int series) {
  return "system.core[" + std::to_string(series) + (series == kCoreSeries ? "+]" : "]");
}

}  // namespace gpuwhy
