// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/thread_book.h"

#include "schema/base/text.h"

namespace gpuwhy::perf {
namespace {

void SetProcessName(Recorder& recorder, int64_t process_id, const std::string& name) {
  ProcessFacts facts;
  facts.name = name;
  recorder.SetProcess(process_id, facts);
}

}  // namespace

int64_t ThreadBook::ThreadOf(const SampleHeader& header) {
  const int64_t pid = header.pid.value_or(header.tid);
  int64_t& id = threads_[{pid, header.tid, std::string(header.comm)}];
  if (id == 0) id = NewThread(pid, header.tid, CleanText(header.comm));
  return id;
}

// A process is called like its main thread was last, or like any thread where that one is unseen.
int64_t ThreadBook::NewThread(int64_t pid, int64_t tid, const std::string& comm) {
  const int64_t process_id = recorder_.ProcessOf(pid);
  recorder_.EndThread(process_id, tid);
  const int64_t thread_id = recorder_.ThreadOf(process_id, tid);
  recorder_.SetThread(thread_id, {.name = comm, .start_ns = {}, .end_ns = {}});
  const bool is_unnamed = named_processes_.insert(process_id).second;
  if (pid == tid || is_unnamed) SetProcessName(recorder_, process_id, comm);
  return thread_id;
}

}  // namespace gpuwhy::perf
