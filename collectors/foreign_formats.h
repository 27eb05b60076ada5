// SPDX-License-Identifier: Apache-2.0
// Binary formats that gpuwhy does not read but their own programs can convert: for each, the
// command. Pure function, any thread.
#pragma once

#include <string>

#include "collectors/importers/importer.h"

namespace gpuwhy {

// "is a recording of perf: run perf script ..." to follow the file's name, or an empty text for
// other files.
std::string HowToConvert(const FileHead& head);

}  // namespace gpuwhy
