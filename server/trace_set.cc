// SPDX-License-Identifier: Apache-2.0
#include "server/trace_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <condition_variable>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "collectors/import_file.h"
#include "schema/base/text.h"
#include "server/file_identity.h"

namespace gpuwhy {
namespace {

constexpr size_t kIdleHandles = 8;  // more than the worker pool has threads
constexpr size_t kNameLimit = 60;
constexpr auto kKeepFacts = std::chrono::minutes(1);

// By what the file says of itself: SQLite's magic and the application id in its header.
bool IsTraceDatabase(const FileHead& head) {
  constexpr size_t kApplicationIdOffset = 68;
  constexpr std::string_view kId = "GPUW";
  return head.raw.starts_with("SQLite format 3") &&
         head.raw.size() >= kApplicationIdOffset + kId.size() &&
         std::string_view(head.raw).substr(kApplicationIdOffset, kId.size()) == kId;
}

std::string BaseName(const std::string& path) {
  std::filesystem::path file = std::filesystem::path(path).filename();
  if (file.extension() == ".gz") file = file.stem();
  std::string name = CleanText(file.stem().string(), kNameLimit);
  const auto is_plain = [](unsigned char c) {
    return c >= 0x80 || (std::isalnum(c) != 0) || c == '.' || c == '_' || c == '-';
  };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !is_plain(static_cast<unsigned char>(c)); },
      '_');
  return name.empty() ? "trace" : name;
}

}  // namespace

struct TraceSet::Handle {
  explicit Handle(TraceDb opened) : db(std::move(opened)) {}

  TraceDb db;
  FactsCache facts;  // of db, so destroyed before it
};

struct TraceSet::Trace {
  std::string name;
  std::string path;

  std::mutex mutex;  // guards everything below
  std::condition_variable_any conversion_ended;
  bool is_converting = false;
  std::optional<FileIdentity> opened_as;
  uint64_t generation = 0;
  std::optional<TraceDb> converted;  // keeps the in-memory database alive
  std::vector<std::unique_ptr<Handle>> idle;

  // Forgets the facts of idle handles some time after the last call; runs only meanwhile.
  std::chrono::steady_clock::time_point facts_used;
  bool is_dropper_running = false;
  std::condition_variable_any never;  // to sleep until stopped
  std::jthread dropper;               // last, so that it ends first

  void DropFactsLater();
  Status Refresh(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                 const Progress& progress);
  Status Convert(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                 const Progress& progress);
};

// `mutex` is held.
void TraceSet::Trace::DropFactsLater() {
  facts_used = std::chrono::steady_clock::now();
  if (std::exchange(is_dropper_running, true)) return;
  dropper = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (!stop.stop_requested() && std::chrono::steady_clock::now() < facts_used + kKeepFacts)
      never.wait_until(lock, stop, facts_used + kKeepFacts, [] { return false; });
    for (const auto& handle : idle)
      handle->facts.Drop();
    is_dropper_running = false;
  });
}

// Forgets handles of a file that has changed, and converts a foreign one. `lock` is held on return.
Status TraceSet::Trace::Refresh(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                                const Progress& progress) {
  if (!conversion_ended.wait(lock, stop, [&] { return !is_converting; })) {
    return Error{ErrorCode::kCancelled, fmt::format("opening {} was stopped", name)};
  }
  const FileIdentity now = IdentityOf(path);
  if (opened_as == now) return {};
  GPUWHY_ASSIGN_OR_RETURN(const FileHead head, ReadFileHead(path));
  idle.clear();
  converted.reset();
  opened_as.reset();
  ++generation;
  if (!IsTraceDatabase(head)) GPUWHY_RETURN_IF_ERROR(Convert(lock, stop, progress));
  opened_as = now;
  return {};
}

// Works without the lock, so that a caller who is told to stop need not wait for another's import.
Status TraceSet::Trace::Convert(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                                const Progress& progress) {
  is_converting = true;
  lock.unlock();
  Result<TraceDb> db = TraceDb::CreateInMemory();
  Status done = db.ok() ? Status() : Status(db.error());
  if (done.ok()) {
    const auto report = ImportFile(db.value(), path, {.stop = stop, .progress = progress});
    if (!report.ok()) done = report.error();
  }
  lock.lock();
  is_converting = false;
  if (done.ok()) converted = std::move(db).value();
  conversion_ended.notify_all();
  return done;
}

TraceSet::Lease::Lease(std::shared_ptr<Trace> trace, uint64_t generation,
                       std::unique_ptr<Handle> handle)
    : trace_(std::move(trace)), generation_(generation), handle_(std::move(handle)) {}

TraceSet::Lease::Lease(Lease&&) noexcept = default;

TraceSet::Lease::~Lease() {
  if (handle_ == nullptr) return;
  handle_->db.SetInterrupt({}, std::nullopt);
  const std::lock_guard lock(trace_->mutex);
  const bool is_current = generation_ == trace_->generation;
  if (!is_current || trace_->idle.size() >= kIdleHandles) return;
  if (!handle_->facts.IsEmpty()) trace_->DropFactsLater();
  trace_->idle.push_back(std::move(handle_));
}

const TraceDb& TraceSet::Lease::db() const {
  return handle_->db;
}

FactsCache& TraceSet::Lease::facts() const {
  return handle_->facts;
}

std::string TraceSet::Add(const std::string& path) {
  const std::lock_guard lock(mutex_);
  for (const auto& trace : traces_) {
    if (trace->path == path) return trace->name;
  }
  const std::string base = BaseName(path);
  std::string name = base;
  const auto is_taken = [&] {
    return std::any_of(traces_.begin(), traces_.end(),
                       [&](const auto& trace) { return trace->name == name; });
  };
  for (int number = 2; is_taken(); ++number)
    name = fmt::format("{}-{}", base, number);
  auto trace = std::make_shared<Trace>();
  trace->name = name;
  trace->path = path;
  traces_.push_back(std::move(trace));
  return name;
}

std::vector<std::string> TraceSet::Names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& trace : traces_)
    names.push_back(trace->name);
  return names;
}

Result<std::shared_ptr<TraceSet::Trace>> TraceSet::Find(const std::string& name) const {
  const std::string known = fmt::format("{}", fmt::join(Names(), ", "));
  const std::lock_guard lock(mutex_);
  if (traces_.empty()) return NotFound("no trace is open: start gpuwhy mcp with --db FILE");
  if (name.empty() && traces_.size() == 1) return traces_.front();
  if (name.empty()) {
    return InvalidArgument(fmt::format("several traces are open, so say trace=...: {}", known));
  }
  for (const auto& trace : traces_) {
    if (trace->name == name) return trace;
  }
  return NotFound(fmt::format("there is no trace {}; open are: {}", CleanText(name, 60), known));
}

Result<TraceSet::Lease> TraceSet::Borrow(const std::string& name, const std::stop_token& stop,
                                         const Progress& progress) {
  GPUWHY_ASSIGN_OR_RETURN(std::shared_ptr<Trace> trace, Find(name));
  std::unique_lock lock(trace->mutex);
  GPUWHY_RETURN_IF_ERROR(trace->Refresh(lock, stop, progress));
  std::unique_ptr<Handle> handle;
  if (!trace->idle.empty()) {
    handle = std::move(trace->idle.back());
    trace->idle.pop_back();
  } else {
    const std::string& source = trace->converted ? trace->converted->uri() : trace->path;
    GPUWHY_ASSIGN_OR_RETURN(TraceDb opened, TraceDb::OpenReadOnly(source));
    handle = std::make_unique<Handle>(std::move(opened));
  }
  handle->db.SetInterrupt(stop, std::nullopt);
  const uint64_t generation = trace->generation;
  lock.unlock();
  return Lease(std::move(trace), generation, std::move(handle));
}

}  // namespace gpuwhy
