// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/python_watch.h"

#include "collectors/ebpf/losses.h"
#include "collectors/process/mapped_file.h"

namespace gpuwhy {
namespace {

// The program itself, which comes first, and what is called python.
bool MayHoldPython(const Mapping& mapping, const Mapping& program) {
  if (mapping.file.inode == 0 || !mapping.is_executable) return false;
  const std::string_view path = mapping.path;
  return mapping.file == program.file ||
         path.substr(path.rfind('/') + 1).find("python") != std::string_view::npos;
}

const Mapping& ProgramOf(const std::vector<Mapping>& mappings) {
  for (const Mapping& mapping : mappings) {
    if (mapping.file.inode != 0) return mapping;
  }
  return mappings.front();
}

}  // namespace

void PythonWatch::Look(const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) {
    if (!found_.contains(pid)) Look(pid);
  }
}

void PythonWatch::Forget(pid_t pid) {
  found_.erase(pid);
  probes_.ForgetPython(pid);
}

void PythonWatch::Look(pid_t pid) {
  const auto maps = ReadMaps(pid);
  if (!maps.ok() || maps.value().mappings.empty()) return;  // it has ended
  const std::vector<Mapping>& mappings = maps.value().mappings;
  for (const Mapping& mapping : mappings) {
    if (!MayHoldPython(mapping, ProgramOf(mappings))) continue;
    const std::optional<PythonFile>& file = FileOf(pid, mapping);
    const auto python = file ? PlaceOf(*file, {mapping}) : std::nullopt;
    if (!python) continue;
    const Status told = probes_.SetPython(pid, *python);
    if (!told.ok()) Complain(told.error().message);
    found_.insert(pid);
    return;
  }
}

const std::optional<PythonFile>& PythonWatch::FileOf(pid_t pid, const Mapping& mapping) {
  static const std::optional<PythonFile> none;
  if (const auto known = files_.find(mapping.file); known != files_.end()) return known->second;
  const auto opened = OpenMappedFile(pid, mapping);
  if (!opened.ok()) return none;  // through another process, or later, it may be possible
  auto read = ReadPythonFile(opened.value().fd.get(), mapping.path);
  if (!read.ok()) Complain(read.error().message);
  return files_[mapping.file] = read.ok() ? std::move(read).value() : none;
}

void PythonWatch::Complain(const std::string& problem) {
  if (problems_.insert(problem).second) recorder_.Count(kPythonNotFollowed, 1, {}, problem);
}

}  // namespace gpuwhy
