// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/copy_names.h"

#include <fmt/format.h>

#include <array>

namespace gpuwhy::nsys {
namespace {

struct CopyName {
  std::string_view name;
  std::string_view kind;
};

// CUpti_ActivityMemcpyKind, and 11 to 13 as Nsight Systems adds them. Arrays are on the device.
constexpr std::array<CopyName, 14> kCopyNames = {{{"Memcpy", ""},
                                                  {"Memcpy HtoD", "H2D"},
                                                  {"Memcpy DtoH", "D2H"},
                                                  {"Memcpy HtoA", "H2D"},
                                                  {"Memcpy AtoH", "D2H"},
                                                  {"Memcpy AtoA", "D2D"},
                                                  {"Memcpy AtoD", "D2D"},
                                                  {"Memcpy DtoA", "D2D"},
                                                  {"Memcpy DtoD", "D2D"},
                                                  {"Memcpy HtoH", "H2H"},
                                                  {"Memcpy PtoP", "P2P"},
                                                  {"Unified memory HtoD", "H2D"},
                                                  {"Unified memory DtoH", "D2H"},
                                                  {"Unified memory DtoD", "D2D"}}};

// ENUM_CUDA_MEM_KIND; CUPTI's own numbers are one larger.
constexpr std::array<std::string_view, 7> kMemoryNames = {
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"};

std::string_view MemoryName(std::optional<int64_t> kind) {
  const bool is_known = kind && *kind >= 0 && *kind < static_cast<int64_t>(kMemoryNames.size());
  return is_known ? kMemoryNames.at(static_cast<size_t>(*kind)) : std::string_view();
}

std::string_view HostMemoryOfKind(std::optional<int64_t> kind) {
  if (!kind) return {};
  if (*kind == 0) return "pageable";
  return *kind == 1 ? "pinned" : "";
}

}  // namespace

CopyWords WordsOfCopy(std::optional<int64_t> copy_kind, std::optional<int64_t> source_kind,
                      std::optional<int64_t> destination_kind) {
  const int64_t number = copy_kind.value_or(0);
  const bool is_known = number >= 0 && number < static_cast<int64_t>(kCopyNames.size());
  const CopyName& copy = kCopyNames.at(is_known ? static_cast<size_t>(number) : 0);
  CopyWords words{.name = std::string(copy.name), .copy_kind = copy.kind, .host_memory = {}};
  const std::string_view source = MemoryName(source_kind);
  const std::string_view destination = MemoryName(destination_kind);
  if (!source.empty() && !destination.empty())
    words.name += fmt::format(" ({} -> {})", source, destination);
  words.host_memory = HostMemoryOfKind(source_kind);
  if (words.host_memory.empty()) words.host_memory = HostMemoryOfKind(destination_kind);
  return words;
}

std::string NameOfMemset(std::optional<int64_t> memory_kind) {
  const std::string_view memory = MemoryName(memory_kind);
  return memory.empty() ? "Memset" : fmt::format("Memset ({})", memory);
}

}  // namespace gpuwhy::nsys
