// SPDX-License-Identifier: Apache-2.0
// Processes, threads and devices of an Nsight Systems export. A "global" id holds machine, process
// (24 bits) and thread (24 bits); correlation ids are unique only within a process. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "collectors/recorder.h"

namespace gpuwhy::nsys {

class Actors {
 public:
  explicit Actors(Recorder& recorder) : recorder_(recorder) {}

  static int64_t PidOf(int64_t global_id) { return (global_id >> 24) & 0xFFFFFF; }
  static int64_t TidOf(int64_t global_tid) { return global_tid & 0xFFFFFF; }

  // The process of a globalPid, or of a globalTid's upper part.
  int64_t Process(int64_t global_id);
  int64_t Thread(int64_t global_tid);
  // A device as the process numbers them (CUDA_VISIBLE_DEVICES); nothing is 0.
  int64_t Gpu(std::optional<int64_t> global_pid, int64_t cuda_device);
  // Tells that device `cuda_device` of a process is number `gpu` of the machine.
  void MapDevice(int64_t pid, int64_t cuda_device, int64_t gpu) {
    devices_[{pid, cuda_device}] = gpu;
  }
  // Names come from tables that list every process of the machine: only those seen get one.
  void NameProcess(int64_t global_pid, const std::string& name);
  void NameThread(int64_t global_tid, const std::string& name);
  // Devices that had work, by their number on the machine.
  const std::map<int64_t, int64_t>& gpus() const { return gpus_; }

 private:
  Recorder& recorder_;
  std::unordered_map<int64_t, int64_t> processes_;  // row by id without thread
  std::unordered_map<int64_t, int64_t> threads_;    // row by id
  std::map<std::pair<int64_t, int64_t>, int64_t> devices_;
  std::map<int64_t, int64_t> gpus_;
};

}  // namespace gpuwhy::nsys
