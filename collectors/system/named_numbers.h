// SPDX-License-Identifier: Apache-2.0
// Files of one name and one number a line, as the kernel writes them:
//   MemAvailable:   14037488 kB
//   nr_throttled 12
// Lines of another form are left out. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwhy {

class NamedNumbers {
 public:
  // Values in kB are given in bytes.
  static NamedNumbers Parse(std::string_view text);

  std::optional<int64_t> Find(std::string_view name) const;
  bool empty() const { return numbers_.empty(); }

 private:
  std::map<std::string, int64_t, std::less<>> numbers_;
};

// "12\n" is 12, "max" and what is no number is nothing.
std::optional<int64_t> ParseWholeNumber(std::string_view text);

}  // namespace gpuwhy
