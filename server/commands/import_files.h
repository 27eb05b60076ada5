// SPDX-License-Identifier: Apache-2.0
// Which files gpuwhy import reads: those named, and of a folder all that are in a format it knows.
#pragma once

#include <string>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

struct ImportFiles {
  std::vector<std::string> files;
  std::vector<std::string> skipped;  // of folders: in no format that gpuwhy reads
};

// Folders are searched with all that is below them, without following links, in the order of names;
// hidden files and folders are left out. A folder with nothing to read is an error.
Result<ImportFiles> FindImportFiles(const std::vector<std::string>& arguments);

}  // namespace gpuwhy
