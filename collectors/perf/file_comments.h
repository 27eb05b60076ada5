// SPDX-License-Identifier: Apache-2.0
// What `perf script --header` says of the recording, in lines like
//   # hostname : trainer-3
//   # total memory : 2046644 kB
#pragma once

#include <string_view>

#include "schema/rows.h"

namespace gpuwhy::perf {

// Sets host, processors, memory or version where the comment says it.
void TakeComment(std::string_view line, CaptureRow& capture);

}  // namespace gpuwhy::perf
