// SPDX-License-Identifier: Apache-2.0
#include "server/commands/trace_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "schema/base/text.h"
#include "server/commands/sudo_user.h"

namespace gpuwhy {
namespace {

bool Exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

std::string OlderName(const std::string& path) {
  return fmt::format("{}.older-{}", path, getpid());
}

void Rename(const std::string& from, const std::string& to) {
  std::error_code ignored;
  std::filesystem::rename(from, to, ignored);
}

void Remove(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

Status CheckIsTrace(const std::string& path) {
  if (TraceDb::OpenReadOnly(path).ok()) return {};
  return InvalidArgument(fmt::format("{} exists and is no gpuwhy trace: name another file with -o",
                                     CleanText(path, kPathLimit)));
}

// A write-ahead log beside the file is that of a recorder at work, or of one that was killed: then
// the file gets its last second now, before it is moved away from its log.
Status EndLogOf(const std::string& path) {
  if (!Exists(path + "-wal")) return {};
  GPUWHY_ASSIGN_OR_RETURN(const TraceDb db, TraceDb::OpenForWriting(path));
  if (db.Execute("PRAGMA journal_mode = DELETE").ok() && !Exists(path + "-wal")) return {};
  return Unavailable(fmt::format("another recorder writes to {}: name another file with -o",
                                 CleanText(path, kPathLimit)));
}

}  // namespace

Result<std::unique_ptr<TraceFile>> TraceFile::Open(const std::string& path) {
  std::unique_ptr<TraceFile> file(new TraceFile(path));
  GPUWHY_RETURN_IF_ERROR(MakeFolders(std::filesystem::path(path).parent_path().string()));
  GPUWHY_RETURN_IF_ERROR(file->MakeRoom());
  file->is_ours_ = true;
  auto db = TraceDb::OpenForWriting(path);
  if (!db.ok()) return db.error();
  file->db_ = std::make_unique<TraceDb>(std::move(db).value());
  GiveToSudoUser(path);
  return file;
}

Status TraceFile::MakeRoom() {
  if (!Exists(path_)) return {};
  GPUWHY_RETURN_IF_ERROR(CheckIsTrace(path_));
  GPUWHY_RETURN_IF_ERROR(EndLogOf(path_));
  const std::string old = path_ + ".old";
  has_older_ = Exists(old);
  if (has_older_) Rename(old, OlderName(path_));
  std::error_code failure;
  std::filesystem::rename(path_, old, failure);
  has_old_ = !failure;
  if (has_old_) return {};
  if (has_older_) Rename(OlderName(path_), old);
  has_older_ = false;
  return Unavailable(fmt::format("cannot move {} out of the way: {}", CleanText(path_, kPathLimit),
                                 failure.message()));
}

void TraceFile::Keep() {
  is_ours_ = false;
  if (has_older_) Remove(OlderName(path_));
}

void TraceFile::PutBack() const {
  for (const char* ending : {"", "-wal", "-shm", "-journal"})
    Remove(path_ + ending);
  if (has_old_) Rename(path_ + ".old", path_);
  if (has_older_) Rename(OlderName(path_), path_ + ".old");
}

TraceFile::~TraceFile() {
  db_.reset();
  if (is_ours_) PutBack();
}

}  // namespace gpuwhy
