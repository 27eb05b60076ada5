// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/call_rows.h"

#include <algorithm>

#include "collectors/ebpf/functions.h"

namespace gpuwhy {

void CallRows::SetName(uint16_t function_id, std::string_view name) {
  const int64_t name_id = recorder_.InternName(name);
  names_[function_id] = name_id;
  queues_.SetName(name_id, name);
  texts_[function_id] = name;
}

void CallRows::Add(const CallEvent& event, int64_t thread_id, OptionalId callsite_id) {
  if (event.parent_id != 0) {
    waiting_[event.header.tid].push_back({event, thread_id, callsite_id});
    return;
  }
  const int64_t row = Write({event, thread_id, callsite_id}, {});
  const auto waiting = waiting_.find(event.header.tid);
  if (waiting == waiting_.end()) return;
  WriteChildren(waiting->second, event.call_id, row);
  // What is left belongs to calls whose row the kernel side had to leave out.
  FlushThread(event.header.tid);
}

void CallRows::WriteChildren(Calls& calls, uint32_t parent_call, OptionalId parent_row) {
  // Inner calls returned first, so the children of children stand before their parents.
  for (size_t i = calls.size(); i-- > 0;) {
    if (calls[i].event.parent_id != parent_call) continue;
    const Waiting call = calls[i];
    calls.erase(calls.begin() + static_cast<ptrdiff_t>(i));
    const int64_t row = Write(call, parent_row);
    const size_t before = calls.size();
    WriteChildren(calls, call.event.call_id, row);
    i -= std::min(i, before - calls.size());
  }
}

void CallRows::FlushThread(uint32_t tid) {
  const auto found = waiting_.find(tid);
  if (found == waiting_.end()) return;
  while (!found->second.empty()) {
    const Waiting call = found->second.back();
    found->second.pop_back();
    WriteChildren(found->second, call.event.call_id, Write(call, {}));
  }
  waiting_.erase(found);
}

void CallRows::Flush() {
  while (!waiting_.empty())
    FlushThread(waiting_.begin()->first);
  queues_.Finish();
}

int64_t CallRows::Write(const Waiting& call, OptionalId parent_row) {
  const CallEvent& event = call.event;
  ApiCallRow row;
  row.start_ns = static_cast<int64_t>(event.header.time_ns) + offset_ns_;
  row.duration_ns = static_cast<int64_t>(event.duration_ns);
  row.thread_id = call.thread_id;
  row.name_id = NameOf(event.header.sub);
  row.parent_id = parent_row;
  row.copy_kind = CopyKindText(event.copy_kind);
  row.return_code = event.return_code;
  row.callsite_id = call.callsite_id;
  if (event.bytes != 0) row.bytes = static_cast<int64_t>(event.bytes);
  if (event.has_stream != 0) row.stream = static_cast<int64_t>(event.stream);
  if (event.event != 0) row.event = static_cast<int64_t>(event.event);
  const int64_t id = recorder_.Add(row);
  queues_.Add(row, id);
  return id;
}

}  // namespace gpuwhy
