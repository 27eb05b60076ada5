// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "collectors/kineto/trace_event.h"

namespace gpuwhy::kineto {
namespace {

// Names of libkineto's ActivityType.h, and of the 2020-21 writers (Operator, Kernel, Runtime, ...).
constexpr std::array kCategories = std::to_array<std::pair<std::string_view, Category>>({
    {"kernel", Category::kKernel},
    {"mtia_ccp_events", Category::kKernel},
    {"gpu_memcpy", Category::kMemcpy},
    {"memcpy", Category::kMemcpy},
    {"gpu_memset", Category::kMemset},
    {"memset", Category::kMemset},
    {"cuda_sync", Category::kSync},
    {"xpu_sync", Category::kSync},
    {"cuda_runtime", Category::kRuntime},
    {"runtime", Category::kRuntime},
    {"hip_runtime", Category::kRuntime},
    {"mtia_runtime", Category::kRuntime},
    {"xpu_runtime", Category::kRuntime},
    {"glow_runtime", Category::kRuntime},
    {"privateuse1_runtime", Category::kRuntime},
    {"cuda_driver", Category::kDriver},
    {"hip_driver", Category::kDriver},
    {"xpu_driver", Category::kDriver},
    {"privateuse1_driver", Category::kDriver},
    {"gpu_user_annotation", Category::kDeviceRange},
    {"cuda_event", Category::kDeviceRange},
    {"cuda_profiler_range", Category::kDeviceRange},
    {"mtia_insight", Category::kDeviceRange},
    {"xpu_scope_profiler", Category::kDeviceRange},
    {"overhead", Category::kOverhead},
    {"trace", Category::kTraceSpan},
});

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

Category CategoryOf(std::string_view text) {
  if (text.empty()) return Category::kNone;
  const auto equals = [&](const auto& entry) {
    return std::equal(text.begin(), text.end(), entry.first.begin(), entry.first.end(),
                      [](char a, char b) { return Lower(a) == b; });
  };
  const auto* found = std::find_if(kCategories.begin(), kCategories.end(), equals);
  return found == kCategories.end() ? Category::kHostRange : found->second;
}

}  // namespace gpuwhy::kineto
