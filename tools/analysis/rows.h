// SPDX-License-Identifier: Apache-2.0
// Rows of gpu_op and api_call as the analyses hold them in memory: one compact struct each, loaded
// once per call, ordered by start. Millions of them are normal, so no text and no optionals: 0
// means unknown.
#pragma once

#include <cstdint>

#include "tools/analysis/call_kind.h"
#include "tools/analysis/kernel_class.h"

namespace gpuwhy {

inline constexpr int64_t kNoCorrelation = -1;

enum class OpKind : unsigned char { kKernel, kMemcpy, kMemset, kGraph, kSync };

struct DeviceOp {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t correlation_id = kNoCorrelation;
  int64_t stream = 0;
  int64_t id = 0;
  int32_t name_id = 0;
  int32_t process_id = 0;
  int32_t gpu_id = 0;
  OpKind kind = OpKind::kKernel;
  KernelClass kernel_class = KernelClass::kCompute;
};

struct HostCall {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t correlation_id = kNoCorrelation;
  int64_t bytes = 0;
  int64_t id = 0;
  int32_t name_id = 0;
  int32_t thread_id = 0;
  int32_t process_id = 0;
  CallKind kind = CallKind::kOther;
  bool is_child = false;     // made inside another call: never sum it with its parent
  bool is_pageable = false;  // copy from or to pageable host memory: blocks although named Async
  bool is_kernel_launch = false;
};

// start + duration of a row without overflow; a negative duration counts as none.
inline int64_t EndOf(int64_t start_ns, int64_t duration_ns) {
  if (duration_ns <= 0) return start_ns;
  return start_ns > INT64_MAX - duration_ns ? INT64_MAX : start_ns + duration_ns;
}

}  // namespace gpuwhy
