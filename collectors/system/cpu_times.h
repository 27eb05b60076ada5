// SPDX-License-Identifier: Apache-2.0
// What /proc/stat tells of each core, in ticks since boot:
//   cpu0 1696200 227231 476139 990321 2375 0 956 0 0 0
//        user    nice   system idle iowait irq softirq steal guest guest_nice
// Guest time is part of user time. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace gpuwhy {

enum CpuShare : size_t {
  kCpuUser = 0,  // with nice
  kCpuSystem,
  kCpuIdle,
  kCpuIoWait,
  kCpuIrq,
  kCpuSoftIrq,
  kCpuSteal,
  kCpuShareCount,
};
std::string_view NameOf(CpuShare share);

struct CpuTicks {
  std::array<int64_t, kCpuShareCount> ticks{};

  int64_t Total() const;
  // Busy is neither idle nor waiting for a disk.
  int64_t Busy() const { return Total() - ticks[kCpuIdle] - ticks[kCpuIoWait]; }
  void Add(const CpuTicks& other);
  // What came since `before`; a part that went back, as iowait does at times, is 0.
  CpuTicks Since(const CpuTicks& before) const;
};

// By core; the line of all cores and what is not of cores is left out, as are malformed lines.
std::map<int, CpuTicks> ParseCpuTicks(std::string_view text);

}  // namespace gpuwhy
