// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/kernel_class.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace gpuwhy {
namespace {

enum class Match { kPrefix, kAnywhere };

struct Rule {
  std::string_view text;
  Match match;
  KernelClass kernel_class;
  bool is_case_sensitive = true;
};

// HTA's rules in HTA's order (communication, memory, not computation), except that hipMemcpy and
// hipMemset are memory and the other hip runtime names are no communication.
constexpr std::array<Rule, 29> kRules = {{
    {"nccl", Match::kPrefix, KernelClass::kComm, false},
    {"ncclKernel", Match::kAnywhere, KernelClass::kComm},
    {"ncclDevKernel", Match::kAnywhere, KernelClass::kComm},
    {"ncclSymDevKernel", Match::kAnywhere, KernelClass::kComm},
    {"rccl", Match::kPrefix, KernelClass::kComm, false},
    {"msccl", Match::kAnywhere, KernelClass::kComm, false},
    {"nvshmem", Match::kAnywhere, KernelClass::kComm, false},
    {"deep_ep", Match::kAnywhere, KernelClass::kComm, false},
    {"hccl", Match::kPrefix, KernelClass::kComm},
    {"Memcpy", Match::kPrefix, KernelClass::kMemory},
    {"Memset", Match::kPrefix, KernelClass::kMemory},
    {"hipMemcpy", Match::kPrefix, KernelClass::kMemory},
    {"hipMemset", Match::kPrefix, KernelClass::kMemory},
    {"dma", Match::kPrefix, KernelClass::kMemory},
    {"hip", Match::kPrefix, KernelClass::kOther},
    {"Memcpy", Match::kAnywhere, KernelClass::kOther},
    {"Memset", Match::kAnywhere, KernelClass::kOther},
    {"dma", Match::kAnywhere, KernelClass::kOther},
    {"Sync", Match::kAnywhere, KernelClass::kOther},
    {"Stream Wait Event", Match::kPrefix, KernelClass::kOther},
    {"cudaLaunchKernel", Match::kPrefix, KernelClass::kOther},
    {"runFunction", Match::kPrefix, KernelClass::kOther},
    {"job_exe", Match::kPrefix, KernelClass::kOther},
    {"packet", Match::kPrefix, KernelClass::kOther},
    {"pe_exe", Match::kPrefix, KernelClass::kOther},
    {"cpum_exe_subgraph", Match::kPrefix, KernelClass::kOther},
    {"collective_subgraph_execution", Match::kPrefix, KernelClass::kOther},
    {"cudaGraphLaunch", Match::kPrefix, KernelClass::kOther},
    {"Context Sync", Match::kPrefix, KernelClass::kOther},
}};

bool EqualIgnoringCase(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool Holds(const Rule& rule, std::string_view name) {
  const std::string_view scope =
      rule.match == Match::kPrefix ? name.substr(0, rule.text.size()) : name;
  if (rule.is_case_sensitive) return scope.find(rule.text) != std::string_view::npos;
  return std::search(scope.begin(), scope.end(), rule.text.begin(), rule.text.end(),
                     EqualIgnoringCase) != scope.end();
}

// Position after the bracket that closes the one at `open`; the end of the text when none does.
size_t SkipBrackets(std::string_view text, size_t open) {
  const char opening = text[open];
  const char closing = opening == '<' ? '>' : ')';
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (text[at] == opening) ++depth;
    const bool is_arrow = closing == '>' && at > 0 && text[at - 1] == '-';
    if (text[at] == closing && !is_arrow && --depth == 0) return at + 1;
  }
  return text.size();
}

}  // namespace

std::string_view NameOf(KernelClass kernel_class) {
  switch (kernel_class) {
    case KernelClass::kCompute:
      return "compute";
    case KernelClass::kComm:
      return "comm";
    case KernelClass::kMemory:
      return "memory";
    case KernelClass::kOther:
      return "other";
  }
  return "";
}

KernelClass ClassOfKernel(std::string_view name) {
  const auto* rule = std::find_if(kRules.begin(), kRules.end(),
                                  [&](const Rule& candidate) { return Holds(candidate, name); });
  return rule == kRules.end() ? KernelClass::kCompute : rule->kernel_class;
}

std::string ShortKernelName(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  constexpr std::string_view kMemoryPrefix = "Mem";
  if (name.starts_with(kMemoryPrefix)) return std::string(name);
  std::string out;
  for (size_t at = 0; at < name.size();) {
    if (name.substr(at).starts_with(kAnonymous)) {
      at += kAnonymous.size();
    } else if (name[at] == '<') {
      at = SkipBrackets(name, at);
    } else if (name[at] == '(') {
      break;
    } else if (name[at] == ' ') {
      out.clear();  // what came before was the return type
      ++at;
    } else {
      out += name[at++];
    }
  }
  return out.empty() ? std::string(name) : out;
}

}  // namespace gpuwhy
