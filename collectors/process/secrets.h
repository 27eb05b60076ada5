// SPDX-License-Identifier: Apache-2.0
// Finds secrets in text by what stands before them or by their own form. Errs on the side of
// taking too much away. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gpuwhy {

// Replaces NAME=value, "NAME": "value", --NAME value, scheme://user:password@ and known forms of
// keys, anywhere in `text`.
std::string RedactText(std::string_view text);

}  // namespace gpuwhy
