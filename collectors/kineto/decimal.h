// SPDX-License-Identifier: Apache-2.0
// Exact numbers from the text of a trace: epoch microseconds with three decimals have 19 digits,
// more than a double holds, so nothing here goes through one. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuwhy::kineto {

// "1712195495507888.958" (microseconds) -> 1712195495507888958. Digits below one nanosecond are cut
// off. Accepts exponents. Nothing when the text is not a number or does not fit.
std::optional<int64_t> MicrosecondsToNs(std::string_view text);

// A whole number; decimals are cut off. Nothing when the text is not a number or does not fit.
std::optional<int64_t> ParseInteger(std::string_view text);

}  // namespace gpuwhy::kineto
