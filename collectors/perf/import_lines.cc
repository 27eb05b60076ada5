// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/import_lines.h"

#include <utility>

#include "collectors/perf/losses.h"
#include "collectors/text/line_reader.h"

namespace gpuwhy::perf {
namespace {

constexpr int kLinesPerCheck = 1024;

Status CheckLines(const ImportRequest& request, const Recorder& recorder, uint64_t done_bytes) {
  GPUWHY_RETURN_IF_ERROR(recorder.status());
  if (request.stop.stop_requested()) {
    return Error{ErrorCode::kCancelled, "the import was stopped before it finished"};
  }
  if (request.progress) request.progress(done_bytes, request.head.size_bytes);
  return {};
}

// Whether the head holds all of the file's text.
bool IsWholeFile(const FileHead& head) {
  return head.is_gzip ? head.raw.size() == head.size_bytes && head.text.size() < (64 << 10)
                      : head.text.size() == head.size_bytes;
}

}  // namespace

Status ImportLines(const ImportRequest& request, Recorder& recorder,
                   const std::function<void(std::string_view)>& take) {
  GPUWHY_ASSIGN_OR_RETURN(auto source,
                          kineto::ByteSource::Open(request.head.path, request.head.is_gzip));
  LineReader reader(std::move(source));
  int line_count = 0;
  while (const auto line = reader.Next()) {
    take(*line);
    if (++line_count % kLinesPerCheck != 0) continue;
    GPUWHY_RETURN_IF_ERROR(CheckLines(request, recorder, reader.DoneBytes()));
  }
  if (reader.IsDamaged()) recorder.Count(kFileDamaged);
  recorder.SetLoss(kLineTooLong, reader.TooLongCount());
  return CheckLines(request, recorder, reader.DoneBytes());
}

void ForEachLineOfHead(const FileHead& head, const std::function<bool(std::string_view)>& take) {
  std::string_view text = head.text;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos && !IsWholeFile(head)) return;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!take(line)) return;
  }
}

}  // namespace gpuwhy::perf
