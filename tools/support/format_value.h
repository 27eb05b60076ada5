// SPDX-License-Identifier: Apache-2.0
// Values in JSON, shared by the renderers.
#pragma once

#include "tools/answer.h"
#include "tools/json.h"

namespace gpuwhy {

Json JsonValue(const Value& value);

}  // namespace gpuwhy
