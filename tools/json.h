// SPDX-License-Identifier: Apache-2.0
// JSON with keys in the order they were set. Parse with exceptions off; dump with DumpJson, because
// nlohmann throws on invalid UTF-8 otherwise.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/json_fwd.h"

namespace gpuwhy {

inline std::string DumpJson(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gpuwhy
