// SPDX-License-Identifier: Apache-2.0
// A small, valid trace database on disk: 500 API calls of 500 names by one thread, with indexes and
// roll-ups.
#pragma once

#include <string>

namespace gpuwhy {

inline constexpr int kSmallTraceCalls = 500;

void WriteSmallTrace(const std::string& path);

}  // namespace gpuwhy
