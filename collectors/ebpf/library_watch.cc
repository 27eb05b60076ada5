// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/library_watch.h"

#include <fmt/format.h>

#include "collectors/ebpf/clock.h"
#include "collectors/ebpf/losses.h"
#include "collectors/process/mapped_file.h"
#include "collectors/symbols/elf_symbols.h"
#include "schema/base/text.h"

namespace gpuwhy {
namespace {

// A file may be deleted, or its mapping change, between looking and opening: the next look finds
// it.
constexpr int kTries = 3;

// Every exported name to probe.
using Wanted = std::map<std::string, ProbedFunction, std::less<>>;

Wanted WantedOf(GpuLibraryKind kind) {
  Wanted wanted;
  for (const ProbedFunction& function : FunctionsOf(kind)) {
    for (std::string& name : VariantsOf(function.name, kind)) {
      wanted.emplace(std::move(name), function);
    }
  }
  return wanted;
}

std::vector<std::string> NamesOf(const Wanted& wanted) {
  std::vector<std::string> names;
  for (const auto& [name, function] : wanted)
    names.push_back(name);
  return names;
}

// ld-linux-x86-64.so.2, ld-linux-aarch64.so.1, ld-musl-x86_64.so.1
bool IsLoader(const Mapping& mapping) {
  const size_t slash = mapping.path.rfind('/');
  return mapping.is_executable && slash != std::string::npos &&
         (mapping.path.compare(slash, 10, "/ld-linux-") == 0 ||
          mapping.path.compare(slash, 9, "/ld-musl-") == 0);
}

}  // namespace

void LibraryWatch::ProbeLoaderOf(pid_t pid) {
  const auto maps = ReadMaps(pid);
  if (!maps.ok()) return;  // it has ended
  for (const Mapping& mapping : maps.value().mappings) {
    if (!IsLoader(mapping) || !loaders_.insert(mapping.file).second) continue;
    const auto file = OpenMappedFile(pid, mapping);
    if (!file.ok()) continue;  // looked for each second all the same
    const auto functions = ReadFunctions(file.value().open_path, {"_dl_debug_state"});
    if (!functions.ok() || functions.value().empty()) continue;
    const Status probed =
        probes_.AttachLoader(file.value().open_path, functions.value().front().file_offset);
    if (!probed.ok()) recorder_.Count(kLibraryNotProbed, 1, {}, probed.error().message);
  }
}

void LibraryWatch::CountProblems(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) {
    if (++problems_[problem] == kTries) recorder_.Count(kLibraryNotProbed, 1, {}, problem);
  }
}

void LibraryWatch::CountLate(const GpuLibrary& library, pid_t pid, int64_t changed_ns) {
  recorder_.Count(kLibraryProbedLate, 1, {},
                  fmt::format("{} was probed {} after process {} had loaded it", library.path,
                              FormatDuration(MonotonicNs() - changed_ns), pid));
}

void LibraryWatch::Look(const std::vector<pid_t>& pids,
                        const std::map<pid_t, int64_t>& changed_at) {
  for (const pid_t pid : pids)
    ProbeLoaderOf(pid);
  for (const auto& [pid, found] : finder_.FindAll(pids)) {
    for (const GpuLibrary& library : found.libraries) {
      int& tries = tries_[{library.file, library.kind}];
      if (tries == kTries) continue;
      const auto count = Probe(library);
      tries = count.ok() ? kTries : tries + 1;
      if (count.ok()) libraries_.push_back({library.kind, library.path, count.value()});
      const auto changed = changed_at.find(pid);
      if (count.ok() && changed != changed_at.end()) CountLate(library, pid, changed->second);
      if (!count.ok() && tries == kTries) {
        recorder_.Count(kLibraryNotProbed, 1, {}, count.error().message);
      }
    }
    CountProblems(found.problems);
  }
}

Result<size_t> LibraryWatch::Probe(const GpuLibrary& library) {
  const auto wanted = WantedOf(library.kind);
  GPUWHY_ASSIGN_OR_RETURN(const auto functions, ReadFunctions(library.open_path, NamesOf(wanted)));
  std::vector<ProbePoint> points;
  for (const ElfFunction& function : functions) {
    // Two names of one function are one function.
    if (!points.empty() && points.back().file_offset == function.file_offset) continue;
    const ProbedFunction& known = wanted.at(function.name);
    GPUWHY_ASSIGN_OR_RETURN(const uint16_t number, NumberOf(function.name, known));
    points.push_back({function.file_offset, number, known.group});
  }
  GPUWHY_RETURN_IF_ERROR(probes_.AttachLibrary(library.open_path, points));
  return points.size();
}

Result<uint16_t> LibraryWatch::NumberOf(const std::string& name, const ProbedFunction& function) {
  if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
  const auto number = static_cast<uint16_t>(numbers_.size());
  GPUWHY_RETURN_IF_ERROR(probes_.SetFunction(number, function.arguments));
  calls_.SetName(number, name);
  numbers_.emplace(name, number);
  groups_.push_back(function.group);
  return number;
}

}  // namespace gpuwhy
