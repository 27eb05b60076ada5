// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/gpu_libraries.h"

#include <algorithm>
#include <set>

#include "collectors/process/mapped_file.h"
#include "collectors/process/proc_status.h"

namespace gpuwhy {
namespace {

std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool HasKind(const GpuLibraries& found, GpuLibraryKind kind) {
  return std::any_of(found.libraries.begin(), found.libraries.end(),
                     [kind](const GpuLibrary& library) { return library.kind == kind; });
}

bool IsFileOfCode(const Mapping& mapping) {
  return mapping.is_executable && mapping.file.inode != 0;
}

}  // namespace

Result<GpuLibraries> GpuLibraryFinder::Find(pid_t pid) {
  ++scan_;
  return FindInScan(pid);
}

std::map<pid_t, GpuLibraries> GpuLibraryFinder::FindAll(const std::vector<pid_t>& pids) {
  ++scan_;
  std::map<pid_t, GpuLibraries> all;
  for (const pid_t pid : pids) {
    Result<GpuLibraries> found = FindInScan(pid);
    if (!found.ok()) continue;
    const bool is_telling = !found.value().libraries.empty() || !found.value().problems.empty();
    if (is_telling) all.emplace(pid, std::move(found).value());
  }
  std::erase_if(verdicts_, [this](const auto& entry) { return entry.second.scan != scan_; });
  return all;
}

Result<GpuLibraries> GpuLibraryFinder::FindInScan(pid_t pid) {
  GPUWHY_ASSIGN_OR_RETURN(const ProcessMaps maps, ReadMaps(pid));
  GpuLibraries found;
  std::set<FileId> seen;
  for (const Mapping& mapping : maps.mappings) {
    if (!IsFileOfCode(mapping) || !seen.insert(mapping.file).second) continue;
    const Result<const Verdict*> verdict = VerdictOf(pid, mapping);
    if (verdict.ok()) AddFile(pid, mapping, *verdict.value(), found);
    if (!verdict.ok()) found.problems.push_back(verdict.error().message);
  }
  // Files that could not be opened because the process ended are no problem.
  if (!found.problems.empty()) GPUWHY_RETURN_IF_ERROR(ReadStat(pid));
  std::sort(found.libraries.begin(), found.libraries.end(), [](const auto& a, const auto& b) {
    return a.file != b.file ? a.file < b.file : a.kind < b.kind;
  });
  found.has_driver_only =
      HasKind(found, GpuLibraryKind::kCudaDriver) && !HasKind(found, GpuLibraryKind::kCudaRuntime);
  return found;
}

Result<const GpuLibraryFinder::Verdict*> GpuLibraryFinder::VerdictOf(pid_t pid,
                                                                     const Mapping& mapping) {
  Verdict& verdict = verdicts_[mapping.file];
  if (verdict.scan == scan_) return &verdict;
  GPUWHY_ASSIGN_OR_RETURN(const MappedFile file, OpenMappedFile(pid, mapping));
  const bool is_same = verdict.scan > 0 && verdict.size_bytes == file.size_bytes &&
                       verdict.changed_ns == file.changed_ns;
  verdict.scan = scan_;
  if (is_same) return &verdict;
  verdict = {file.size_bytes, file.changed_ns, scan_, {}, ""};
  Read(mapping, file.fd.get(), verdict);
  return &verdict;
}

void GpuLibraryFinder::Read(const Mapping& mapping, int fd, Verdict& verdict) {
  const std::string base_name = BaseName(mapping.path);
  if (const auto kind = KindOfName(base_name)) {
    verdict.content = {{*kind, RecognisedBy::kFileName}};
    return;
  }
  ++read_file_count_;
  Result<std::vector<GpuContent>> content = ContentOfFile(fd, mapping.path);
  if (content.ok()) {
    verdict.content = std::move(content).value();
  } else {
    verdict.problem = content.error().message;
  }
}

void GpuLibraryFinder::AddFile(pid_t pid, const Mapping& mapping, const Verdict& verdict,
                               GpuLibraries& found) {
  if (!verdict.problem.empty()) found.problems.push_back(verdict.problem);
  if (verdict.content.empty()) return;
  const Result<MappedFile> file = OpenMappedFile(pid, mapping);
  if (!file.ok()) found.problems.push_back(file.error().message);
  if (!file.ok()) return;
  for (const GpuContent& content : verdict.content) {
    found.libraries.push_back(
        {content.kind, content.recognised_by, mapping.file, mapping.path, file.value().open_path});
  }
}

}  // namespace gpuwhy
