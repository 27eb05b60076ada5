// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/cpu_times.h"

#include <algorithm>
#include <numeric>

#include "collectors/process/number_text.h"

namespace gpuwhy {
namespace {

// user nice system idle; the others came with later kernels.
constexpr size_t kFewestColumns = 4;
constexpr size_t kColumns = 8;

std::optional<CpuTicks> ParseColumns(std::string_view line) {
  std::array<int64_t, kColumns> columns{};
  size_t count = 0;
  while (count < kColumns && TakeChar(line, ' ')) {
    const auto value = TakeNumber<int64_t>(line);
    if (!value || *value < 0) return std::nullopt;
    columns[count++] = *value;
  }
  if (count < kFewestColumns) return std::nullopt;
  CpuTicks ticks;
  ticks.ticks[kCpuUser] = columns[0] + columns[1];
  std::copy(columns.begin() + 2, columns.end(), ticks.ticks.begin() + kCpuSystem);
  return ticks;
}

}  // namespace

std::string_view NameOf(CpuShare share) {
  static constexpr std::string_view kNames[kCpuShareCount] = {"user", "system",  "idle", "iowait",
                                                              "irq",  "softirq", "steal"};
  return kNames[share];
}

int64_t CpuTicks::Total() const {
  return std::accumulate(ticks.begin(), ticks.end(), int64_t{0});
}

void CpuTicks::Add(const CpuTicks& other) {
  for (size_t share = 0; share < kCpuShareCount; ++share)
    ticks[share] += other.ticks[share];
}

CpuTicks CpuTicks::Since(const CpuTicks& before) const {
  CpuTicks since;
  for (size_t share = 0; share < kCpuShareCount; ++share)
    since.ticks[share] = std::max<int64_t>(ticks[share] - before.ticks[share], 0);
  return since;
}

std::map<int, CpuTicks> ParseCpuTicks(std::string_view text) {
  std::map<int, CpuTicks> cores;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (!line.starts_with("cpu")) continue;
    line.remove_prefix(3);
    const auto core = TakeNumber<int>(line);
    if (!core || *core < 0) continue;
    if (const auto ticks = ParseColumns(line)) cores.emplace(*core, *ticks);
  }
  return cores;
}

}  // namespace gpuwhy
