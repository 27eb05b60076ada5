// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/call_kind.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace gpuwhy {
namespace {

struct Rule {
  std::string_view part;  // of the name without cuda, cu or hip in front
  CallKind kind;
};

// The first that holds. Names without the library prefix, so cudaX, cuX and hipX share a row.
constexpr std::array<Rule, 34> kRules = {{
    {"Launch", CallKind::kLaunch},
    {"GraphLaunch", CallKind::kLaunch},
    {"ModuleLaunchKernel", CallKind::kLaunch},
    {"ExtModuleLaunchKernel", CallKind::kLaunch},
    {"ExtLaunch", CallKind::kLaunch},
    {"DeviceSync", CallKind::kSync},
    {"StreamSync", CallKind::kSync},
    {"EventSync", CallKind::kSync},
    {"CtxSync", CallKind::kSync},
    {"ThreadSync", CallKind::kSync},
    {"MemAlloc", CallKind::kAllocation},
    {"MemFree", CallKind::kAllocation},
    {"MemHost", CallKind::kAllocation},
    {"MemCreate", CallKind::kAllocation},
    {"MemMap", CallKind::kAllocation},
    {"MemUnmap", CallKind::kAllocation},
    {"MemRelease", CallKind::kAllocation},
    {"MemAddress", CallKind::kAllocation},
    {"MemSetAccess", CallKind::kAllocation},
    {"Malloc", CallKind::kAllocation},
    {"Free", CallKind::kAllocation},
    {"HostAlloc", CallKind::kAllocation},
    {"HostMalloc", CallKind::kAllocation},
    {"HostFree", CallKind::kAllocation},
    {"HostRegister", CallKind::kAllocation},
    {"HostUnregister", CallKind::kAllocation},
    {"Module", CallKind::kModuleLoad},
    {"Library", CallKind::kModuleLoad},
    {"Link", CallKind::kModuleLoad},
    {"Ctx", CallKind::kModuleLoad},
    {"DevicePrimaryCtx", CallKind::kModuleLoad},
    {"GraphInstantiate", CallKind::kModuleLoad},
    {"Init", CallKind::kModuleLoad},
    {"FuncLoad", CallKind::kModuleLoad},
}};

// Cheap look-ups that share a prefix with the rules above.
constexpr std::array<std::string_view, 7> kCheapLookUps = {
    "CtxGetCurrent", "CtxSetCurrent",    "CtxPushCurrent", "CtxPopCurrent",
    "CtxGetDevice",  "ModuleGetLoading", "LaunchHostFunc"};

std::string_view WithoutLibrary(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "cu", "hip"}) {
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0) {
      return name.substr(prefix.size());
    }
  }
  return name;
}

CallKind KindOfCopy(std::string_view name) {
  return name.find("Async") == std::string_view::npos ? CallKind::kCopy : CallKind::kLaunch;
}

}  // namespace

std::string_view NameOf(CallKind kind) {
  switch (kind) {
    case CallKind::kLaunch:
      return "launch";
    case CallKind::kSync:
      return "sync";
    case CallKind::kCopy:
      return "copy";
    case CallKind::kAllocation:
      return "allocation";
    case CallKind::kModuleLoad:
      return "module load";
    case CallKind::kOther:
      return "other";
  }
  return "";
}

std::string_view WithoutApiSuffix(std::string_view name) {
  while (true) {
    const size_t at = name.rfind('_');
    if (at == std::string_view::npos || at == 0) return name;
    const std::string_view suffix = name.substr(at + 1);
    const bool is_version = suffix.size() > 1 && suffix[0] == 'v' &&
                            suffix.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (!is_version && suffix != "ptsz" && suffix != "ptds") return name;
    name = name.substr(0, at);
  }
}

CallKind KindOfCall(std::string_view full_name) {
  const std::string_view name = WithoutLibrary(WithoutApiSuffix(full_name));
  if (name.starts_with("Memcpy") || name.starts_with("Memset")) return KindOfCopy(name);
  if (std::find(kCheapLookUps.begin(), kCheapLookUps.end(), name) != kCheapLookUps.end())
    return CallKind::kOther;
  const auto* rule = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& candidate) {
    return name.starts_with(candidate.part);
  });
  return rule == kRules.end() ? CallKind::kOther : rule->kind;
}

bool IsKernelLaunch(std::string_view name) {
  return name.find("LaunchKernel") != std::string_view::npos;
}

}  // namespace gpuwhy
