// SPDX-License-Identifier: Apache-2.0
// For code of tests that runs outside an assertion: the value, or the reason and the end.
#pragma once

#include <cstdio>
#include <utility>

#include "schema/base/result.h"

namespace gpuwhy {

template <typename T>
T Required(Result<T> result) {
  if (!result.ok()) std::fprintf(stderr, "%s\n", result.error().message.c_str());
  GPUWHY_CHECK(result.ok());
  return std::move(result).value();
}

}  // namespace gpuwhy
