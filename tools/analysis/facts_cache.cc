// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/facts_cache.h"

namespace gpuwhy {

Result<const TraceFacts*> FactsCache::Load(const TraceFacts::Request& request) {
  // Changes when another connection has written, as a live recording does.
  GPUWHY_ASSIGN_OR_RETURN(const int64_t data_version, request.db.QueryInt("PRAGMA data_version"));
  const bool is_same = facts_ != nullptr && data_version == data_version_ &&
                       facts_->window() == request.window && facts_->scope() == request.scope;
  if (is_same) {
    facts_->SetStop(request.stop);
    return facts_.get();
  }
  facts_.reset();
  GPUWHY_ASSIGN_OR_RETURN(facts_, TraceFacts::Load(request));
  data_version_ = data_version;
  return facts_.get();
}

}  // namespace gpuwhy
