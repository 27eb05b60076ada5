// SPDX-License-Identifier: Apache-2.0
// A trace made row by row for a test, in memory: what a recorder would have written, read through a
// read-only handle, and tools run on it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "collectors/recorder.h"
#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/answer.h"
#include "tools/json.h"

namespace gpuwhy {

inline constexpr int64_t kMs = 1'000'000;
inline constexpr int64_t kTraceStart = 1'700'000'000'000'000'000;  // a whole second

// Shorthand over a Recorder; times are nanoseconds after kTraceStart.
class TraceBuilder {
 public:
  explicit TraceBuilder(Recorder& recorder) : recorder_(recorder) {}

  Recorder& recorder() { return recorder_; }
  int64_t Thread(int64_t pid, int64_t tid);
  int64_t Call(int64_t thread, std::string_view name, int64_t start_ns, int64_t duration_ns);
  int64_t Range(int64_t thread, std::string_view name, int64_t start_ns, int64_t duration_ns);

 private:
  Recorder& recorder_;
};

class BuiltTrace {
 public:
  // `fill` adds the rows of one capture.
  explicit BuiltTrace(const std::function<void(TraceBuilder&)>& fill,
                      CaptureRow capture = {.kind = "self"});

  const TraceDb& db() const { return *reader_; }
  // Runs a tool as the server would.
  Result<Answer> Run(std::string_view tool, const Json& arguments = Json::object()) const;
  // Requires success.
  Answer Ask(std::string_view tool, const Json& arguments = Json::object()) const;
  Json AskJson(std::string_view tool, const Json& arguments = Json::object()) const;

 private:
  std::unique_ptr<TraceDb> writer_;
  std::unique_ptr<TraceDb> reader_;
};

Result<Answer> RunToolOn(const TraceDb& db, std::string_view tool, const Json& arguments,
                         std::stop_token stop = {});

}  // namespace gpuwhy
