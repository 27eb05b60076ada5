// SPDX-License-Identifier: Apache-2.0
// The log of the simulated GPU, read back. A line that is not as documented is a failed test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwhy {

struct TrueCall {
  int64_t tid = 0;
  int64_t entry_ns = 0;
  int64_t exit_ns = 0;
  std::string name;
  int64_t bytes = 0;
  std::string kind;
  std::string stream;
  int64_t code = 0;
};

struct TrueOp {
  std::string engine;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::string name;
  int64_t bytes = 0;
  std::string stream;
};

struct GroundTruth {
  std::vector<TrueCall> calls;  // by exit
  std::vector<TrueOp> ops;      // by submission

  std::vector<TrueCall> CallsOf(std::string_view name) const;
  // The only one, which is required.
  TrueCall CallOf(std::string_view name) const;
  TrueOp OpOf(std::string_view name) const;
  // From the first start to the last end: the share in which the compute engine had nothing.
  double ComputeIdleShare() const;
};

// Who is killed while it writes leaves half a line at the end; nobody else does.
enum class LastLine { kIsWhole, kMayBeCut };
GroundTruth ReadGroundTruth(const std::string& path, LastLine last_line = LastLine::kIsWhole);

}  // namespace gpuwhy
