// SPDX-License-Identifier: Apache-2.0
// Failures of BPF calls as one sentence. BpfLog keeps what libbpf says while one object lives, so
// that a failure becomes one sentence that says what is missing and how to get it. libbpf has one
// printer for the process: use one at a time.
#pragma once

#include <string>
#include <string_view>

#include "schema/base/result.h"

namespace gpuwhy {

std::string ErrnoText(int error);  // of errno or of a negative return value
// `doing` failed with `error`.
Error BpfFailure(std::string_view doing, int error, std::string_view detail = {});

class BpfLog {
 public:
  BpfLog();
  ~BpfLog();
  BpfLog(const BpfLog&) = delete;
  BpfLog& operator=(const BpfLog&) = delete;

  Error Failure(std::string_view doing, int error) const;
};

}  // namespace gpuwhy
