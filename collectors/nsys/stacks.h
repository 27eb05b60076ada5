// SPDX-License-Identifier: Apache-2.0
// One table of call chains: CUDA_CALLCHAINS, OSRT_CALLCHAINS or SAMPLING_CALLCHAINS, one row a
// frame, the innermost at depth 0. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "collectors/nsys/conversion.h"

namespace gpuwhy::nsys {

class Stacks {
 public:
  explicit Stacks(Conversion& conversion) : conversion_(conversion) {}

  Status Read(std::string_view table);
  OptionalId Find(int64_t chain_id) const;
  // The callsite of a chain that a record names: NULL and 0 name none, one that is missing counts.
  OptionalId CallsiteOf(std::optional<int64_t> chain_id) const;

 private:
  struct Frame {
    std::optional<int64_t> symbol;
    std::optional<int64_t> module;
    bool is_kernel;
    bool operator<(const Frame& other) const {
      return std::tie(symbol, module, is_kernel) <
             std::tie(other.symbol, other.module, other.is_kernel);
    }
  };

  int64_t FrameOf(const Frame& frame);
  void Close();

  Conversion& conversion_;
  std::map<Frame, int64_t> frames_;
  std::unordered_map<int64_t, int64_t> callsites_;
  int64_t open_id_ = 0;
  std::vector<int64_t> open_frames_;  // innermost first
};

}  // namespace gpuwhy::nsys
