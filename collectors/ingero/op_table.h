// SPDX-License-Identifier: Apache-2.0
// FindOp for any (source, op) of a file: operations that are not built in get the name that the
// file's own lookup table gives them, else "HOST op 99". One per import; one thread. References
// stay valid.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "collectors/ingero/ops.h"
#include "collectors/ingero/source_file.h"

namespace gpuwhy::ingero {

class OpTable {
 public:
  explicit OpTable(const SourceFile& file) : file_(file) {}

  const Op& Resolve(int64_t source, int64_t op);

 private:
  struct Unknown {
    std::string name;
    Op op{};
  };

  std::string NameInFile(int64_t source, int64_t op) const;

  const SourceFile& file_;
  std::map<std::pair<int64_t, int64_t>, Unknown> unknown_;
};

}  // namespace gpuwhy::ingero
