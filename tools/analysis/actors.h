// SPDX-License-Identifier: Apache-2.0
// The processes, threads, devices, captures and losses of a trace: small tables, held whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

struct CaptureInfo {
  int64_t id = 0;
  std::string kind;
  std::string path;
  std::string host;
  std::optional<int64_t> rank;
  std::optional<int64_t> world_size;
  std::optional<int64_t> cpu_count;
  std::optional<int64_t> memory_bytes;
  bool is_selective = false;  // row statistics are biased: prefer roll-ups
  std::string tool_version;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

struct ProcessInfo {
  int64_t id = 0;
  int64_t capture_id = 0;
  int64_t pid = 0;
  int64_t parent_id = 0;  // 0 = unknown
  std::string name;       // untrusted
  std::optional<int64_t> rank;
  std::optional<int64_t> start_ns;
  std::optional<int64_t> end_ns;
};

struct ThreadInfo {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t tid = 0;
  std::string name;  // untrusted
  std::optional<int64_t> start_ns;
  std::optional<int64_t> end_ns;
};

struct GpuInfo {
  int64_t id = 0;
  int64_t capture_id = 0;
  int64_t device_index = 0;
  std::string name;  // untrusted
  std::string uuid;
};

struct LossInfo {
  std::string name;
  std::string severity;  // info, repaired, data_loss
  int64_t event_count = 0;
  std::string description;
  std::string advice;
};

class Actors {
 public:
  static Result<Actors> Load(const TraceDb& db);

  const std::vector<CaptureInfo>& captures() const { return captures_; }
  const std::vector<ProcessInfo>& processes() const { return processes_; }
  const std::vector<ThreadInfo>& threads() const { return threads_; }
  const std::vector<GpuInfo>& gpus() const { return gpus_; }
  const std::vector<LossInfo>& losses() const { return losses_; }

  const ProcessInfo* FindProcess(int64_t process_id) const;  // nullptr when there is none
  const ThreadInfo* FindThread(int64_t thread_id) const;
  const GpuInfo* FindGpu(int64_t gpu_id) const;
  const ProcessInfo* ProcessOfThread(int64_t thread_id) const;
  std::vector<const ProcessInfo*> ChildrenOf(int64_t process_id) const;
  // The largest known number of CPUs of a capture; 0 when unknown.
  int64_t CpuCount() const;
  bool IsSelective() const;

  // "python3 (2233)" and "python3/2233 thread 2258 pt_data_pin", cleaned for sentences.
  std::string DescribeProcess(int64_t process_id) const;
  std::string DescribeThread(int64_t thread_id) const;

 private:
  std::vector<CaptureInfo> captures_;
  std::vector<ProcessInfo> processes_;
  std::vector<ThreadInfo> threads_;
  std::vector<GpuInfo> gpus_;
  std::vector<LossInfo> losses_;
  std::unordered_map<int64_t, size_t> process_at_;
  std::unordered_map<int64_t, size_t> thread_at_;
};

}  // namespace gpuwhy
