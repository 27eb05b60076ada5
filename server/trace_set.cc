// SPDX-License-Identifier: Apache-2.0
#include "server/trace_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "collectors/import_file.h"
#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr size_t kApplicationIdOffset = 68;  // in the SQLite file header

bool IsTraceDatabase(const FileHead& head) {
  return head.raw.starts_with("SQLite format 3") &&
         head.raw.substr(std::min(head.raw.size(), kApplicationIdOffset), 4) == "GPUW";
}

// What must stay the same for a handle to stay valid. A live recording grows its -wal file, which
// its readers follow by themselves; only the switch between "has a writer" and "has none" matters.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  int64_t modified_ns = 0;
  int64_t size_bytes = 0;
  bool has_writer = false;

  bool operator==(const FileIdentity&) const = default;
};

FileIdentity IdentityOf(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  FileIdentity identity{.device = status.st_dev, .inode = status.st_ino};
  identity.has_writer = std::filesystem::exists(path + "-wal");
  if (identity.has_writer) return identity;
  identity.modified_ns = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  identity.size_bytes = status.st_size;
  return identity;
}

}  // namespace

struct TraceSet::Trace {
  std::string name;
  std::string path;
  std::mutex mutex;  // guards what follows; held during a conversion, so that it happens once
  std::optional<FileIdentity> identity;
  std::string uri;                     // what handles open
  std::unique_ptr<TraceDb> converted;  // keeps an in-memory database alive
  std::vector<std::unique_ptr<TraceDb>> idle;

  Status Refresh(const std::stop_token& stop, const Progress& progress);
  Status Convert(const std::stop_token& stop, const Progress& progress);
};

Status TraceSet::Trace::Convert(const std::stop_token& stop, const Progress& progress) {
  GPUWHY_ASSIGN_OR_RETURN(TraceDb memory, TraceDb::CreateInMemory());
  GPUWHY_ASSIGN_OR_RETURN(const ImportReport report,
                          ImportFile(memory, path, {.stop = stop, .progress = progress}));
  uri = memory.uri();
  converted = std::make_unique<TraceDb>(std::move(memory));
  return {};
}

Status TraceSet::Trace::Refresh(const std::stop_token& stop, const Progress& progress) {
  const FileIdentity now = IdentityOf(path);
  if (identity == now) return {};
  idle.clear();
  converted.reset();
  identity.reset();
  GPUWHY_ASSIGN_OR_RETURN(const FileHead head, ReadFileHead(path));
  if (!IsTraceDatabase(head) && FindImporter(head) != nullptr) {
    GPUWHY_RETURN_IF_ERROR(Convert(stop, progress));
  } else {
    uri = path;
  }
  identity = now;
  return {};
}

TraceSet::Lease::Lease(std::shared_ptr<Trace> trace, std::unique_ptr<TraceDb> db)
    : trace_(std::move(trace)), db_(std::move(db)) {}

TraceSet::Lease::~Lease() {
  if (!db_) return;
  db_->SetInterrupt({}, {});
  const std::lock_guard lock(trace_->mutex);
  // A handle of a file that has changed since is not worth keeping.
  if (db_->uri() == trace_->uri && trace_->identity == IdentityOf(trace_->path)) {
    trace_->idle.push_back(std::move(db_));
  }
}

void TraceSet::Add(const std::string& path) {
  const std::string stem = CleanText(std::filesystem::path(path).stem().string(), 60);
  const std::lock_guard lock(mutex_);
  std::string name = stem;
  const auto is_taken = [&](const auto& trace) { return trace->name == name; };
  for (int n = 2; std::any_of(traces_.begin(), traces_.end(), is_taken); ++n) {
    name = fmt::format("{}-{}", stem, n);
  }
  auto trace = std::make_shared<Trace>();
  trace->name = name;
  trace->path = path;
  traces_.push_back(std::move(trace));
}

std::vector<std::string> TraceSet::Names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& trace : traces_)
    names.push_back(trace->name);
  return names;
}

Result<std::shared_ptr<TraceSet::Trace>> TraceSet::Find(const std::string& name) const {
  const std::vector<std::string> names = Names();
  if (names.empty()) {
    return NotFound("no trace is open: start the server with gpuwhy mcp --db FILE");
  }
  const std::lock_guard lock(mutex_);
  if (name.empty() && traces_.size() == 1) return traces_.front();
  for (const auto& trace : traces_) {
    if (trace->name == name) return trace;
  }
  if (name.empty()) {
    return InvalidArgument(fmt::format("several traces are open: say which with trace, one of {}",
                                       fmt::join(names, ", ")));
  }
  return NotFound(fmt::format("there is no trace {}; open traces are {}", CleanText(name, 60),
                              fmt::join(names, ", ")));
}

Result<TraceSet::Lease> TraceSet::Borrow(const std::string& name, std::stop_token stop,
                                         const Progress& progress) {
  GPUWHY_ASSIGN_OR_RETURN(std::shared_ptr<Trace> trace, Find(name));
  std::unique_ptr<TraceDb> db;
  {
    const std::lock_guard lock(trace->mutex);
    GPUWHY_RETURN_IF_ERROR(trace->Refresh(stop, progress));
    if (!trace->idle.empty()) {
      db = std::move(trace->idle.back());
      trace->idle.pop_back();
    } else {
      GPUWHY_ASSIGN_OR_RETURN(TraceDb opened, TraceDb::OpenReadOnly(trace->uri));
      db = std::make_unique<TraceDb>(std::move(opened));
    }
  }
  db->SetInterrupt(std::move(stop), {});
  return Lease(std::move(trace), std::move(db));
}

}  // namespace gpuwhy
