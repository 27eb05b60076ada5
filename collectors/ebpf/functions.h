// SPDX-License-Identifier: Apache-2.0
// The functions that are probed, as data: what each is called, in which library it lives, and where
// its arguments are. Sources: the headers of CUDA 11-13 and NCCL 2. Variants of the per-thread
// default stream (_ptsz, _ptds) and of the driver's versions (_v2, _v3) take the same arguments and
// are probed under their own names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/ebpf/probe_group.h"
#include "collectors/ebpf/wire.h"
#include "collectors/process/gpu_library_kind.h"

namespace gpuwhy {

struct ProbedFunction {
  std::string_view name;
  FunctionSpec arguments{.bytes_slot = -1,
                         .bytes_factor_slot = -1,
                         .kind_slot = -1,
                         .stream_slot = -1,
                         .fixed_kind = 0,
                         .factor_is_nccl_type = 0,
                         .bytes_pointed_at = 0,
                         .dimension_count = 0,
                         .stream_pointed_at = 0,
                         .event_slot = -1,
                         .padding = {}};
  ProbeGroup group = ProbeGroup::kEssential;
};

std::span<const ProbedFunction> FunctionsOf(GpuLibraryKind kind);

// The names under which a function may be exported: its own and those of its variants.
std::vector<std::string> VariantsOf(std::string_view name, GpuLibraryKind kind);

// "H2D" and so on for CallEvent::copy_kind; empty for 0 and what CUDA does not define.
std::string_view CopyKindText(uint8_t copy_kind);

}  // namespace gpuwhy
