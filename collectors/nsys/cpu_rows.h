// SPDX-License-Identifier: Apache-2.0
// What threads did on the cores: waits off a core, and stack samples. One thread.
#pragma once

#include <unordered_map>

#include "collectors/nsys/conversion.h"

namespace gpuwhy::nsys {

class CpuRows {
 public:
  explicit CpuRows(Conversion& conversion) : conversion_(conversion) {}
  Status Convert();

 private:
  struct Departure {
    int64_t time_ns;
    std::string_view reason;
  };

  Status ConvertSwitches();
  Status ConvertSamples();
  void AddSwitch(const Row& row);

  Conversion& conversion_;
  std::unordered_map<int64_t, Departure> away_;  // by thread row
};

}  // namespace gpuwhy::nsys
