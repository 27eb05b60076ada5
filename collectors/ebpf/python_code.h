// SPDX-License-Identifier: Apache-2.0
// One Python function as the recorder knows it: names in UTF-8 and the table of its lines. The
// kernel side copied the start of the table; more of it is read from the process when an
// instruction lies behind that, if it still lives. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/ebpf/python_wire.h"

namespace gpuwhy {

class PythonFunction {
 public:
  explicit PythonFunction(const PythonCode& code);

  const std::string& name() const { return name_; }  // co_qualname
  const std::string& file() const { return file_; }
  // The first line of the function where the table does not tell; `is_exact` says so.
  int64_t LineAt(int64_t instruction_bytes, bool& is_exact);

 private:
  bool ReadWholeTable();

  PythonCodeIdentity identity_;
  std::string name_;
  std::string file_;
  std::vector<uint8_t> lines_;
  size_t lines_bytes_;  // of the whole table
};

}  // namespace gpuwhy
