// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/actors.h"

namespace gpuwhy::nsys {
namespace {

constexpr int64_t kThreadBits = 0xFFFFFF;

}  // namespace

int64_t Actors::Process(int64_t global_id) {
  int64_t& row = processes_[global_id & ~kThreadBits];
  if (row != 0) return row;
  // Two machines of one report may use the same number.
  recorder_.EndProcess(PidOf(global_id));
  return row = recorder_.ProcessOf(PidOf(global_id));
}

int64_t Actors::Thread(int64_t global_tid) {
  int64_t& row = threads_[global_tid];
  if (row == 0) row = recorder_.ThreadOf(Process(global_tid), TidOf(global_tid));
  return row;
}

int64_t Actors::Gpu(std::optional<int64_t> global_pid, int64_t cuda_device) {
  const auto mapped = devices_.find({PidOf(global_pid.value_or(0)), cuda_device});
  const int64_t device = mapped == devices_.end() ? cuda_device : mapped->second;
  int64_t& row = gpus_[device];
  if (row == 0) row = recorder_.GpuOf(device);
  return row;
}

void Actors::NameProcess(int64_t global_pid, const std::string& name) {
  const auto process = processes_.find(global_pid & ~kThreadBits);
  if (process != processes_.end()) recorder_.SetProcess(process->second, {.name = name});
}

void Actors::NameThread(int64_t global_tid, const std::string& name) {
  const auto thread = threads_.find(global_tid);
  if (thread != threads_.end()) recorder_.SetThread(thread->second, {.name = name});
}

}  // namespace gpuwhy::nsys
