// SPDX-License-Identifier: Apache-2.0
#include "collectors/telemetry/units.h"

#include <algorithm>

#include "collectors/text/trim.h"

namespace gpuwhy::telemetry {
namespace {

constexpr double kKibi = 1024;
constexpr UnitWord kUnitWords[] = {{"%", "pct", 1},
                                   {"pct", "pct", 1},
                                   {"percent", "pct", 1},
                                   {"ratio", "ratio", 1},
                                   {"W", "watts", 1},
                                   {"watt", "watts", 1},
                                   {"watts", "watts", 1},
                                   {"mW", "watts", 1e-3},
                                   {"milliwatts", "watts", 1e-3},
                                   {"C", "celsius", 1},
                                   {"\xC2\xB0"
                                    "C",
                                    "celsius", 1},
                                   {"celsius", "celsius", 1},
                                   {"MHz", "mhz", 1},
                                   {"GHz", "mhz", 1e3},
                                   {"kHz", "mhz", 1e-3},
                                   {"B", "bytes", 1},
                                   {"bytes", "bytes", 1},
                                   {"KiB", "bytes", kKibi},
                                   {"MiB", "bytes", kKibi* kKibi},
                                   {"GiB", "bytes", kKibi* kKibi* kKibi},
                                   {"KB", "bytes", 1e3},
                                   {"MB", "bytes", 1e6},
                                   {"GB", "bytes", 1e9},
                                   {"B/s", "bytes_per_second", 1},
                                   {"KB/s", "bytes_per_second", 1e3},
                                   {"MB/s", "bytes_per_second", 1e6},
                                   {"GB/s", "bytes_per_second", 1e9},
                                   {"Mb/s", "bytes_per_second", 1e6 / 8},
                                   {"ns", "ns", 1},
                                   {"us", "ns", 1e3},
                                   {"ms", "ns", 1e6},
                                   {"s", "ns", 1e9},
                                   {"sec", "ns", 1e9},
                                   {"seconds", "ns", 1e9},
                                   {"J", "joules", 1},
                                   {"joules", "joules", 1},
                                   {"mJ", "joules", 1e-3},
                                   {"V", "volts", 1},
                                   {"volts", "volts", 1},
                                   {"mV", "volts", 1e-3},
                                   {"count", "count", 1}};

}  // namespace

const UnitWord* FindUnit(std::string_view word) {
  const auto is_exact = [&](const UnitWord& known) { return known.word == word; };
  const auto is_same = [&](const UnitWord& known) { return EqualsIgnoringCase(known.word, word); };
  const auto* found = std::find_if(std::begin(kUnitWords), std::end(kUnitWords), is_exact);
  if (found == std::end(kUnitWords)) {
    found = std::find_if(std::begin(kUnitWords), std::end(kUnitWords), is_same);
  }
  return found == std::end(kUnitWords) ? nullptr : found;
}

}  // namespace gpuwhy::telemetry
