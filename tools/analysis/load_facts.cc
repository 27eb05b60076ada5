// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/load_facts.h"

#include "tools/analysis/facts_cache.h"
#include "tools/support/scope_params.h"

namespace gpuwhy {

Result<const TraceFacts*> LoadFacts(const ToolContext& context) {
  const TraceDb& db = *context.db;
  GPUWHY_ASSIGN_OR_RETURN(const Window window, ResolveWindow(db, context.params));
  Scope scope;
  GPUWHY_ASSIGN_OR_RETURN(scope.process_ids, ResolveProcesses(db, context.params));
  GPUWHY_ASSIGN_OR_RETURN(scope.gpu_ids, ResolveGpus(db, context.params));
  return context.facts->Load({.db = db, .window = window, .stop = context.stop, .scope = scope});
}

std::vector<std::string> StandardNotes(const TraceFacts& facts) {
  std::vector<std::string> notes;
  if (std::string limits = facts.ViewLimits(); !limits.empty()) notes.push_back(std::move(limits));
  if (facts.actors().IsSelective()) {
    notes.emplace_back(
        "the recorder kept only some events as rows: time without rows may hold events that were "
        "counted but not stored");
  }
  return notes;
}

}  // namespace gpuwhy
