// SPDX-License-Identifier: Apache-2.0
// The name Json without its definition: headers that only mention it spare their readers the
// library.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace gpuwhy {

using Json = nlohmann::ordered_json;

}  // namespace gpuwhy
