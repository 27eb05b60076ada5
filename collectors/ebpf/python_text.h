// SPDX-License-Identifier: Apache-2.0
// Characters of a Python str, as they lie in memory, to UTF-8. Pure functions, any thread.
#pragma once

#include <span>
#include <string>

#include "collectors/ebpf/python_wire.h"

namespace gpuwhy {

// As many characters as `bytes` holds; "…" stands for the rest. Empty for a text that was not read.
std::string PythonTextOf(const PythonText& text, std::span<const char> bytes);

}  // namespace gpuwhy
