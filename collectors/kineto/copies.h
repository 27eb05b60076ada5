// SPDX-License-Identifier: Apache-2.0
// Direction and host memory of copies, from the words that CUPTI and ROCm use. Pure functions.
#pragma once

#include <string_view>

namespace gpuwhy::kineto {

// "Memcpy HtoD (Pageable -> Device)" -> H2D; `kind` is the kind argument of ROCm traces, a word or
// the number of hipMemcpyKind. Empty when neither says.
std::string_view CopyKindOf(std::string_view name, std::string_view kind);

// "Memcpy HtoD (Pageable -> Device)" -> pageable. Empty when the name does not say.
std::string_view HostMemoryOf(std::string_view name);

}  // namespace gpuwhy::kineto
