// SPDX-License-Identifier: Apache-2.0
#include "server/commands/import_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "collectors/import_file.h"
#include "schema/base/text.h"

namespace gpuwhy {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> FilesBelow(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, failure);
  while (!failure && entry != fs::recursive_directory_iterator()) {
    const bool is_hidden = entry->path().filename().string().starts_with('.');
    if (is_hidden && entry->is_directory(failure)) entry.disable_recursion_pending();
    if (!is_hidden && entry->is_regular_file(failure)) paths.push_back(entry->path().string());
    entry.increment(failure);
  }
  if (failure) {
    return Unavailable(
        fmt::format("cannot read folder {}: {}", CleanText(folder, kPathLimit), failure.message()));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// One that cannot be read is tried, so that the import says why.
bool IsInKnownFormat(const std::string& path) {
  const auto head = ReadFileHead(path);
  return !head.ok() || FindImporter(head.value()) != nullptr;
}

}  // namespace

Result<ImportFiles> FindImportFiles(const std::vector<std::string>& arguments) {
  ImportFiles found;
  for (const std::string& argument : arguments) {
    std::error_code failure;
    if (!fs::is_directory(argument, failure)) {
      found.files.push_back(argument);
      continue;
    }
    const size_t before = found.files.size();
    GPUWHY_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FilesBelow(argument));
    for (const std::string& path : paths)
      (IsInKnownFormat(path) ? found.files : found.skipped).push_back(path);
    if (found.files.size() == before) {
      return NotFound(fmt::format("{} holds no file in a format that gpuwhy reads ({} files seen)",
                                  CleanText(argument, kPathLimit), paths.size()));
    }
  }
  return found;
}

}  // namespace gpuwhy
