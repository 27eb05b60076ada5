// SPDX-License-Identifier: Apache-2.0
// The units that telemetry tools write, and what each is in a unit of table counter. Pure
// functions.
#pragma once

#include <string_view>

namespace gpuwhy::telemetry {

struct UnitWord {
  std::string_view word;  // as written: "MiB", "%", "mW"
  std::string_view unit;  // of table counter: "bytes", "pct", "watts"
  double factor = 1;      // value in `unit` = written value * factor
};

// Null for a word that is no unit. Upper and lower case matter only where they must (Mb, MB).
const UnitWord* FindUnit(std::string_view word);

}  // namespace gpuwhy::telemetry
