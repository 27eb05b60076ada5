// SPDX-License-Identifier: Apache-2.0
// The database that a recording writes. An earlier recording of the same name is moved to NAME.old,
// as perf does; unless Keep is called, the new file goes and the earlier ones come back. Through
// sudo, new files and folders belong to the user who called it. One thread.
#pragma once

#include <memory>
#include <string>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

class TraceFile {
 public:
  // Refuses a file that is no gpuwhy trace, or that another recorder is writing to.
  static Result<std::unique_ptr<TraceFile>> Open(const std::string& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const TraceDb& db() const { return *db_; }
  // From now on the file stays, whatever happens.
  void Keep();
  // Nobody may use db() any more.
  void Close() { db_.reset(); }

 private:
  explicit TraceFile(std::string path) : path_(std::move(path)) {}
  Status MakeRoom();
  void PutBack() const;

  std::string path_;
  std::unique_ptr<TraceDb> db_;
  bool has_old_ = false;    // NAME was there and is NAME.old now
  bool has_older_ = false;  // NAME.old was there too and waits under another name
  bool is_ours_ = false;    // what has the name was made here and may go again
};

}  // namespace gpuwhy
