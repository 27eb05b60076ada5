// SPDX-License-Identifier: Apache-2.0
// Call stacks of an Ingero database, read on first use. One per node of an import; one thread.
// The frames column is one JSON array, each part innermost first, Python before native:
//   [{"pf":"/x/linear.py","pfn":"forward","pl":124},{"pf":"/x/module.py","pfn":"_call_impl","pl":1740},
//    {"s":"_ZN2at6nativeL16mean_kernel_cudaE...+0x2a4","f":"libtorch_cuda.so"},
//    {"i":"0x7f993b40fb8b","f":"libcudart.so.12"}]
// The native part lies below the Python part (Python called into it), so the calling tree gets the
// Python frames from the outside in, then the native ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "collectors/ingero/source_file.h"
#include "collectors/recorder.h"

namespace gpuwhy::ingero {

class Stacks {
 public:
  Stacks(const SourceFile& file, Recorder& recorder) : file_(file), recorder_(recorder) {}

  // Null for hash 0, and, counted, for stacks that are missing or damaged.
  Result<OptionalId> CallsiteOf(int64_t hash, int64_t time_ns);
  // From events.stack_ips, a JSON array of addresses that older files carry instead of a hash.
  OptionalId CallsiteOfAddresses(std::string_view ips_json, int64_t time_ns);

 private:
  OptionalId Convert(std::string_view frames_json, int64_t time_ns);

  const SourceFile& file_;
  Recorder& recorder_;
  std::unordered_map<int64_t, OptionalId> callsites_;
};

}  // namespace gpuwhy::ingero
