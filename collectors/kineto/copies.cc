// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/copies.h"

#include <array>
#include <utility>

namespace gpuwhy::kineto {
namespace {

constexpr std::array kDirections = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"HtoD", "H2D"},
    {"DtoH", "D2H"},
    {"DtoD", "D2D"},
    {"HtoH", "H2H"},
    {"PtoP", "P2P"},
    {"HostToDevice", "H2D"},
    {"DeviceToHost", "D2H"},
    {"DeviceToDevice", "D2D"},
    {"HostToHost", "H2H"},
});

// hipMemcpyKind, the same numbers as cudaMemcpyKind.
constexpr std::array<std::string_view, 5> kKindNumbers = {"H2H", "H2D", "D2H", "D2D", "default"};

}  // namespace

std::string_view CopyKindOf(std::string_view name, std::string_view kind) {
  for (const std::string_view text : {name, kind}) {
    for (const auto& [word, direction] : kDirections) {
      if (text.find(word) != std::string_view::npos) return direction;
    }
  }
  if (kind.size() != 1 || kind[0] < '0' || kind[0] > '4') return {};
  return kKindNumbers.at(static_cast<size_t>(kind[0] - '0'));
}

std::string_view HostMemoryOf(std::string_view name) {
  if (name.find("Pageable") != std::string_view::npos) return "pageable";
  return name.find("Pinned") != std::string_view::npos ? "pinned" : "";
}

}  // namespace gpuwhy::kineto
