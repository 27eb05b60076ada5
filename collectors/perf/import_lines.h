// SPDX-License-Identifier: Apache-2.0
// The loop that importers of line formats share: it opens the file, honours stop and progress, and
// counts what could not be read.
#pragma once

#include <functional>
#include <string_view>

#include "collectors/importers/importer.h"
#include "collectors/recorder.h"
#include "schema/base/result.h"

namespace gpuwhy::perf {

// Calls `take` with each line of the file, without its end.
Status ImportLines(const ImportRequest& request, Recorder& recorder,
                   const std::function<void(std::string_view line)>& take);

// For sniffing: calls `take` with the lines of the head until it returns false. The last line is
// left out where the head may have cut it.
void ForEachLineOfHead(const FileHead& head,
                       const std::function<bool(std::string_view line)>& take);

}  // namespace gpuwhy::perf
