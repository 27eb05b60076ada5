// SPDX-License-Identifier: Apache-2.0
// The facts that the last call computed on a handle, for the next call that asks of the same trace,
// window and scope: loading the rows is most of the cost of every heavy tool. Belongs to one
// TraceDb, which must outlive it, and is used by one thread at a time, as that is.
#pragma once

#include <memory>

#include "schema/base/result.h"
#include "tools/analysis/trace_facts.h"

namespace gpuwhy {

class FactsCache {
 public:
  // Facts are valid until the next call of Load or Drop.
  Result<const TraceFacts*> Load(const TraceFacts::Request& request);
  void Drop() { facts_.reset(); }
  bool IsEmpty() const { return facts_ == nullptr; }

 private:
  std::unique_ptr<TraceFacts> facts_;
  int64_t data_version_ = 0;
};

}  // namespace gpuwhy
