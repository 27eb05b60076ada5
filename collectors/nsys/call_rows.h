// SPDX-License-Identifier: Apache-2.0
// Calls into CUDA: table CUPTI_ACTIVITY_KIND_RUNTIME holds runtime and driver calls together, and
// with call chains each runtime call twice, one inside the other. One thread.
#pragma once

#include <unordered_map>

#include "collectors/nsys/conversion.h"
#include "collectors/nsys/stacks.h"

namespace gpuwhy::nsys {

class CallRows {
 public:
  explicit CallRows(Conversion& conversion) : conversion_(conversion), stacks_(conversion) {}
  Status Convert();

 private:
  struct Outer {
    int64_t start_ns = INT64_MIN;
    int64_t end_ns = INT64_MIN;
    int64_t row_id = 0;
  };

  void Add(const Row& row);
  int64_t NameOf(std::optional<int64_t> string_id);

  Conversion& conversion_;
  Stacks stacks_;
  std::unordered_map<int64_t, Outer> outer_;    // last call of each thread that is in no other
  std::unordered_map<int64_t, int64_t> names_;  // by number in StringIds
};

// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel": the version of the header it was compiled with.
std::string_view WithoutApiVersion(std::string_view name);

}  // namespace gpuwhy::nsys
