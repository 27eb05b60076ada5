// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/symbolizer.h"

#include <fmt/format.h>

#include "collectors/process/mapped_file.h"
#include "collectors/process/proc_status.h"
#include "collectors/symbols/vdso.h"

namespace gpuwhy {
namespace {

std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

Frame UnknownFrame(uint64_t address) {
  return {.function = fmt::format("0x{:x}", address)};
}

}  // namespace

Status Symbolizer::RememberProcess(pid_t pid) {
  GPUWHY_ASSIGN_OR_RETURN(const ProcessStat stat, ReadStat(pid));
  GPUWHY_ASSIGN_OR_RETURN(const ProcessMaps maps, ReadMaps(pid));
  skipped_line_count_ += maps.skipped_line_count;
  Process& process = processes_[pid];
  if (process.start_ns != stat.start_ns) process = Process{.start_ns = stat.start_ns};
  for (const Mapping& mapping : maps.mappings) {
    if (mapping.is_executable) PutMapping(pid, mapping, process);
  }
  if (!process.perf_map) process.perf_map = PerfMap::Open(pid);
  return {};
}

void Symbolizer::ForgetProcess(pid_t pid) {
  processes_.erase(pid);
  std::erase_if(modules_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

void Symbolizer::PutMapping(pid_t pid, const Mapping& mapping, Process& process) {
  process.code.Put({mapping.start, mapping.end, mapping.file_offset, ModuleOf(pid, mapping)});
}

Symbolizer::Module Symbolizer::ModuleOf(pid_t pid, const Mapping& mapping) {
  if (mapping.file.inode != 0) return FileModule(pid, mapping);
  if (mapping.path == "[vdso]") return Vdso(mapping);
  if (mapping.path.starts_with('[') && !mapping.path.starts_with("[anon")) {
    return std::make_shared<SymbolModule>(mapping.path, "");
  }
  return nullptr;
}

Symbolizer::Module Symbolizer::FileModule(pid_t pid, const Mapping& mapping) {
  Module& module = modules_[mapping.file];
  if (module && module->has_file()) return module;
  Result<MappedFile> file = OpenMappedFile(pid, mapping);
  const bool is_other = module && module->name() != BaseName(mapping.path);  // an inode used again
  if (!module || is_other) {
    const std::string problem = file.ok() ? "" : file.error().message;
    module = std::make_shared<SymbolModule>(BaseName(mapping.path), problem);
  }
  if (file.ok()) module->Attach(std::move(file).value().fd);
  return module;
}

Symbolizer::Module Symbolizer::Vdso(const Mapping& mapping) {
  if (!vdso_) {
    Result<UniqueFd> fd = CopyVdso(mapping.end - mapping.start);
    vdso_ = fd.ok() ? std::make_shared<SymbolModule>(mapping.path, std::move(fd).value())
                    : std::make_shared<SymbolModule>(mapping.path, fd.error().message);
  }
  return vdso_;
}

Frame Symbolizer::ResolveUser(pid_t pid, uint64_t address) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return UnknownFrame(address);
  Process& process = found->second;
  const CodeRange* range = process.code.Find(address);
  Frame frame = UnknownFrame(address);
  if (range != nullptr && range->module) {
    frame = range->module->Resolve(address - range->start + range->file_offset,
                                   options_.with_source_lines);
  }
  if (frame.is_known || !process.perf_map) return frame;
  std::optional<Frame> compiled = process.perf_map->Resolve(address);
  return compiled ? *std::move(compiled) : frame;
}

bool Symbolizer::HasCode(pid_t pid, uint64_t address) const {
  const auto found = processes_.find(pid);
  return found != processes_.end() && found->second.code.Find(address) != nullptr;
}

void Symbolizer::LoadKernel() {
  Result<KernelSymbols> loaded = KernelSymbols::Load();
  if (!loaded.ok()) kernel_problem_ = loaded.error().message;
  kernel_ = loaded.ok() ? std::move(loaded).value() : KernelSymbols();
  if (kernel_->is_restricted()) {
    kernel_problem_ =
        "the kernel hides its addresses: run as root, with sysctl kernel.kptr_restrict=1";
  }
}

Frame Symbolizer::ResolveKernel(uint64_t address) {
  if (!kernel_) LoadKernel();
  return kernel_->Resolve(address);
}

std::vector<std::string> Symbolizer::Problems() const {
  std::vector<std::string> problems;
  for (const auto& [file, module] : modules_) {
    if (!module->problem().empty()) problems.push_back(module->problem());
  }
  if (vdso_ && !vdso_->problem().empty()) problems.push_back(vdso_->problem());
  if (!kernel_problem_.empty()) problems.push_back(kernel_problem_);
  if (skipped_line_count_ > 0) {
    problems.push_back(fmt::format("{} lines of /proc/PID/maps have a form that is not known here",
                                   skipped_line_count_));
  }
  return problems;
}

uint64_t Symbolizer::memory_bytes() const {
  uint64_t total_bytes = kernel_ ? kernel_->memory_bytes() : 0;
  for (const auto& [file, module] : modules_)
    total_bytes += module->memory_bytes();
  return total_bytes;
}

}  // namespace gpuwhy
