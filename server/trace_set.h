// SPDX-License-Identifier: Apache-2.0
// The traces that are open, by name, and a pool of read-only handles for each. A gpuwhy database is
// read in place; any other file that an importer knows (Ingero, Kineto, ...) is converted in memory
// on first use and never touched. Opening is lazy: naming a trace does no work. A file that was
// replaced or rewritten since is opened again. What a call has computed is kept with its handle for
// the next one, and dropped after a minute without calls. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/analysis/facts_cache.h"

namespace gpuwhy {

class TraceSet {
  struct Trace;
  struct Handle;

 public:
  using Progress = std::function<void(uint64_t done_bytes, uint64_t total_bytes)>;

  // Returns the name: the file name without extension, made unique with -2, -3. A path that is
  // there already keeps its name.
  std::string Add(const std::string& path);
  std::vector<std::string> Names() const;

  // A handle that goes back to the pool when the lease ends.
  class Lease {
   public:
    Lease(std::shared_ptr<Trace> trace, uint64_t generation, std::unique_ptr<Handle> handle);
    ~Lease();
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&&) = delete;
    const TraceDb& db() const;
    FactsCache& facts() const;

   private:
    std::shared_ptr<Trace> trace_;    // shared: a lease may outlive the set
    uint64_t generation_;             // a handle of an older file is closed, not pooled
    std::unique_ptr<Handle> handle_;  // null after a move
  };

  // `name` may be empty when exactly one trace is open. Errors name the traces there are. Queries
  // of the handle end when `stop` is requested; `progress` is told about a conversion that this
  // call makes. Concurrent callers wait for one conversion.
  Result<Lease> Borrow(const std::string& name, const std::stop_token& stop,
                       const Progress& progress = {});

 private:
  Result<std::shared_ptr<Trace>> Find(const std::string& name) const;

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Trace>> traces_;  // shared with leases
};

}  // namespace gpuwhy
