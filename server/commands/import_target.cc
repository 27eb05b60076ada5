// SPDX-License-Identifier: Apache-2.0
#include "server/commands/import_target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace gpuwhy {

ImportTarget::ImportTarget(TraceDb db, std::string database, std::string path)
    : db_(std::make_unique<TraceDb>(std::move(db))),
      database_(std::move(database)),
      path_(std::move(path)) {}

Result<ImportTarget> ImportTarget::Open(const std::string& database) {
  std::error_code failure;
  const bool is_new = !std::filesystem::exists(database, failure);
  const auto folder = std::filesystem::path(database).parent_path();
  if (is_new && !folder.empty()) {
    std::filesystem::create_directories(folder, failure);
    if (failure) {
      return Unavailable(
          fmt::format("cannot make the folder {}: {}", folder.string(), failure.message()));
    }
  }
  const std::string path = is_new ? fmt::format("{}.importing-{}", database, getpid()) : database;
  GPUWHY_ASSIGN_OR_RETURN(TraceDb db, TraceDb::OpenForWriting(path));
  return ImportTarget(std::move(db), database, path);
}

ImportTarget::~ImportTarget() {
  if (db_ == nullptr || path_ == database_) return;
  db_.reset();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

Status ImportTarget::Keep() {
  db_.reset();
  if (path_ == database_) return {};
  std::error_code failure;
  std::filesystem::rename(path_, database_, failure);
  if (!failure) return {};
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  return Unavailable(fmt::format("cannot write {}: {}", database_, failure.message()));
}

}  // namespace gpuwhy
