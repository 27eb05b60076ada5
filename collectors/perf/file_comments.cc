// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/file_comments.h"

#include "collectors/perf/text_fields.h"
#include "schema/base/text.h"

namespace gpuwhy::perf {
namespace {

constexpr int64_t kBytesPerKilobyte = 1024;
constexpr int64_t kMaxKilobytes = int64_t{1} << 50;

void TakeMemory(std::string_view value, CaptureRow& capture) {
  const auto kilobytes = ParseDecimal(TakeFirstField(value));
  if (kilobytes && Trimmed(value) == "kB" && *kilobytes <= kMaxKilobytes) {
    capture.memory_bytes = *kilobytes * kBytesPerKilobyte;
  }
}

}  // namespace

void TakeComment(std::string_view line, CaptureRow& capture) {
  const size_t colon = line.find(" : ");
  if (!line.starts_with("# ") || colon == std::string_view::npos) return;
  const std::string_view name = Trimmed(line.substr(2, colon - 2));
  const std::string_view value = Trimmed(line.substr(colon + 3));
  if (name == "hostname") capture.host = CleanText(value);
  if (name == "perf version") capture.tool_version = "perf " + CleanText(value);
  if (name == "nrcpus online") capture.cpu_count = ParseDecimal(value);
  if (name == "total memory") TakeMemory(value, capture);
}

}  // namespace gpuwhy::perf
