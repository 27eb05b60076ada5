// SPDX-License-Identifier: Apache-2.0
// C++ names as people write them. Pure function, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gpuwhy {

// The demangled form of an Itanium name, or `symbol` itself when it is none or its demangled form
// would be absurdly long: a hostile name of 300 bytes can stand for gigabytes.
std::string Demangle(std::string_view symbol);

}  // namespace gpuwhy
