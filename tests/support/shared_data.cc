// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shared_data.h"

#include <cstdlib>

namespace gpuwhy {

std::string SharedData(const std::string& relative_path) {
  const char* configured = std::getenv("GPUWHY_SHARED_DATA");
  const std::string root = configured != nullptr ? configured : GPUWHY_SOURCE_DIR "/../shared/data";
  return root + "/" + relative_path;
}

}  // namespace gpuwhy
