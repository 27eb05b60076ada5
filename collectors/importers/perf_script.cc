// SPDX-License-Identifier: Apache-2.0
// The text of `perf script`, plain or gzip: samples of stacks.
//   spin 16613  3188.091180:   10101010 cpu-clock:ppp:
//           1147 main+0x1e (/path/spin)
//          2724a __libc_start_call_main+0x7a (/usr/lib/x86_64-linux-gnu/libc.so.6)
// Times stay those of the recorded machine's clock: nothing in the file tells their Unix time.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "collectors/importers/importer.h"
#include "collectors/perf/file_comments.h"
#include "collectors/perf/frame_line.h"
#include "collectors/perf/import_lines.h"
#include "collectors/perf/losses.h"
#include "collectors/perf/sample_header.h"
#include "collectors/perf/sample_reader.h"
#include "collectors/perf/text_fields.h"
#include "collectors/recorder.h"
#include "schema/base/text.h"

namespace gpuwhy::collectors::importers::perf_script {
namespace {

using gpuwhy::perf::SampleReader;

// Looks for a sample's first line, and at what follows it where it could be a line of a log.
class Sniffer {
 public:
  // False when it has seen enough.
  bool Take(std::string_view line) {
    if (line.find('\0') != std::string_view::npos) return false;
    if (is_expecting_frame_) return Decide(IsFrameOrEnd(line));
    if (perf::Trimmed(line).empty() || IsTraceError(line)) return true;
    if (line.starts_with('#')) return TakeComment(line);
    const auto header = perf::ParseSampleHeader(line);
    if (!header) return Decide(false);
    if (perf::IsBranch(*header) || perf::ParseFrameLine(header->rest)) return Decide(true);
    if (!header->rest.empty()) return Decide(perf::IsTracepoint(header->event));
    is_sample_ = is_expecting_frame_ = true;
    return true;
  }
  // The header of a large machine can be longer than the head of the file.
  bool IsPerf() const { return is_sample_.value_or(has_date_ && has_version_); }

 private:
  static bool IsTraceError(std::string_view line) {
    return perf::Trimmed(line).starts_with("instruction trace error");
  }
  static bool IsFrameOrEnd(std::string_view line) {
    return perf::Trimmed(line).empty() || perf::ParseFrameLine(line) ||
           perf::ParseSampleHeader(line);
  }
  bool Decide(bool is_sample) {
    is_sample_ = is_sample;
    return false;
  }
  bool TakeComment(std::string_view line) {
    has_date_ = has_date_ || line.starts_with("# captured on");
    has_version_ = has_version_ || line.starts_with("# perf version :");
    return true;
  }

  std::optional<bool> is_sample_;
  bool is_expecting_frame_ = false;
  bool has_date_ = false;
  bool has_version_ = false;
};

bool Sniff(const FileHead& head) {
  Sniffer sniffer;
  perf::ForEachLineOfHead(head, [&](std::string_view line) { return sniffer.Take(line); });
  return sniffer.IsPerf();
}

Result<int64_t> Import(const ImportRequest& request) {
  CaptureRow capture{.kind = "perf", .path = request.head.path, .tool_version = "perf"};
  GPUWHY_ASSIGN_OR_RETURN(const auto recorder, Recorder::Start(request.db, capture));
  SampleReader reader(*recorder);
  GPUWHY_RETURN_IF_ERROR(perf::ImportLines(request, *recorder, [&](std::string_view line) {
    if (!line.starts_with('#')) return reader.Take(line);
    perf::TakeComment(line, capture);
  }));
  reader.Finish();
  if (reader.UnderstoodCount() == 0) {
    return CorruptInput(fmt::format("{} holds no sample of perf script that can be read",
                                    CleanText(request.head.path)));
  }
  if (const auto event_count = reader.EventCounts().size(); event_count > 1) {
    recorder->SetLoss(perf::kSeveralEvents, static_cast<int64_t>(event_count));
  }
  capture.facts_json = nlohmann::json{{"sample_event_counts", reader.EventCounts()}}.dump();
  recorder->UpdateCapture(capture);
  GPUWHY_RETURN_IF_ERROR(recorder->Finish());
  return recorder->capture_id();
}

}  // namespace

Importer Define() {
  return {.name = "perf_script",
          .description = "text of perf script, .txt or .txt.gz",
          .priority = 23,
          .sniff = &Sniff,
          .import = &Import};
}

}  // namespace gpuwhy::collectors::importers::perf_script
