// SPDX-License-Identifier: Apache-2.0
// What holds for every detector.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"

namespace gpuwhy {
namespace {

TEST_CASE("detectors: names match their files and questions end with a question mark",
          "[detectors]") {
  std::set<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(GPUWHY_SOURCE_DIR "/tools/detectors"))
    files.insert(entry.path().stem());

  std::set<std::string> names;
  for (const Detector& detector : tools::detectors::AllDetectors()) {
    std::string file(detector.name);
    std::replace(file.begin(), file.end(), '-', '_');
    names.insert(file);
    CHECK(detector.question.ends_with("?"));
    CHECK(detector.find != nullptr);
  }

  CHECK(names == files);
}

TEST_CASE("detectors: on a trace of nothing but an unrelated event, all are silent with a reason",
          "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    HostEventRow row{.start_ns = kTraceStart, .duration_ns = kMs};
    row.kind = "exec";
    builder.recorder().Add(row);
  });

  for (const Detector& detector : tools::detectors::AllDetectors()) {
    INFO(detector.name);
    const NoFinding silence = SilenceOf(trace.db(), detector.name);
    CHECK(silence.is_abstention);
    CHECK(silence.reason.starts_with("needs "));
  }
}

}  // namespace
}  // namespace gpuwhy
