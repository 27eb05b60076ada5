// SPDX-License-Identifier: Apache-2.0
// How much counters have grown since they were last looked at. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwhy {

class GrowthBook {
 public:
  // Nothing for the first value of a key, and for one that went back: it was made anew.
  std::optional<int64_t> Grown(std::string_view key, int64_t value) {
    const auto it = last_.find(key);
    if (it == last_.end()) {
      last_.emplace(key, value);
      return std::nullopt;
    }
    const int64_t growth = value - it->second;
    it->second = value;
    return growth < 0 ? std::nullopt : std::optional(growth);
  }

 private:
  std::map<std::string, int64_t, std::less<>> last_;
};

// A part of the elapsed time in percent.
inline double PercentOf(int64_t part_ns, int64_t elapsed_ns) {
  return elapsed_ns > 0 ? 100.0 * static_cast<double>(part_ns) / static_cast<double>(elapsed_ns)
                        : 0.0;
}

}  // namespace gpuwhy
