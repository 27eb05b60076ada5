// SPDX-License-Identifier: Apache-2.0
// Where the real traces made by others are: $GPUWHY_SHARED_DATA, else ../shared/data beside the
// checkout.
#pragma once

#include <string>

namespace gpuwhy {

std::string SharedData(const std::string& relative_path);

}  // namespace gpuwhy
