// SPDX-License-Identifier: Apache-2.0
// Copies as CUPTI numbers them (CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind), in the words
// of PyTorch's profiler, so that traces of both read alike. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwhy::nsys {

struct CopyWords {
  std::string name;              // "Memcpy HtoD (Pageable -> Device)"
  std::string_view copy_kind;    // H2D, ...; empty when unknown
  std::string_view host_memory;  // pageable, pinned or empty
};

CopyWords WordsOfCopy(std::optional<int64_t> copy_kind, std::optional<int64_t> source_kind,
                      std::optional<int64_t> destination_kind);
// "Memset (Device)"
std::string NameOfMemset(std::optional<int64_t> memory_kind);

}  // namespace gpuwhy::nsys
