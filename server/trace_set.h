// SPDX-License-Identifier: Apache-2.0
// The traces that are open, by name, and a pool of read-only handles for each. A gpuwhy database is
// read in place; any other file that an importer knows (Ingero, Kineto, ...) is converted in memory
// on first use and never touched. Naming a trace does no work; a file that changed is read anew.
// Thread-safe.
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

namespace gpuwhy {

class TraceSet {
  struct Trace;

 public:
  using Progress = std::function<void(uint64_t done_bytes, uint64_t total_bytes)>;

  // A handle that goes back to its pool when the lease ends.
  class Lease {
   public:
    Lease(std::shared_ptr<Trace> trace, std::unique_ptr<TraceDb> db);
    ~Lease();
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    const TraceDb& db() const { return *db_; }

   private:
    std::shared_ptr<Trace> trace_;
    std::unique_ptr<TraceDb> db_;
  };

  // The name is the file name without extension, made unique with -2, -3.
  void Add(const std::string& path);
  std::vector<std::string> Names() const;

  // `name` may be empty when exactly one trace is open. Queries of the handle end when `stop` is
  // requested. Errors are one sentence and name the traces there are.
  Result<Lease> Borrow(const std::string& name, std::stop_token stop,
                       const Progress& progress = {});

 private:
  Result<std::shared_ptr<Trace>> Find(const std::string& name) const;

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Trace>> traces_;
};

}  // namespace gpuwhy
