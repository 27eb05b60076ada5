// SPDX-License-Identifier: Apache-2.0
#include "collectors/telemetry/file_shape.h"

#include "collectors/process/number_text.h"
#include "collectors/telemetry/layout.h"
#include "collectors/telemetry/table_reader.h"
#include "collectors/text/csv_line.h"
#include "collectors/text/trim.h"

namespace gpuwhy::telemetry {
namespace {

// A table may have warnings of its program in front.
constexpr int kHeaderLines = 20;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A table starts here: with its header, or as the first line of a file with its first row.
bool StartsTable(std::string_view line, bool is_first) {
  if (line.starts_with('#') && !Contains(line, ",")) {
    std::vector<std::string_view> words;
    SplitWords(line.substr(1), words);
    return LayoutOfHashLine(words).has_value();
  }
  CsvLine csv;
  if (!csv.Split(line.starts_with('#') ? line.substr(1) : line, {.has_bracket_lists = true})) {
    return false;
  }
  if (line.starts_with('#')) return LayoutOfHashLine(csv.cells()).has_value();
  return LayoutOfHeader(csv.cells()).has_value() ||
         (is_first && LayoutOfRow(csv.cells()).has_value());
}

// "GPU 0: NVIDIA GH200 480GB (UUID: GPU-8d852f73-...)"
bool IsGpuTitle(std::string_view line) {
  return line.starts_with("GPU ") && Contains(line, ": ") && Contains(line, "(UUID: ");
}

}  // namespace

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

FileShape ShapeOf(std::string_view head) {
  head = WithoutByteOrderMark(head);
  if (head.starts_with("# $ nvidia-smi") || Contains(head, "\n# $ nvidia-smi")) {
    return FileShape::kCapture;
  }
  if (Contains(head, "==NVSMI LOG==") || Contains(head, "| NVIDIA-SMI ")) {
    return FileShape::kOneMoment;
  }
  for (int count = 0; count < kHeaderLines && !head.empty();) {
    const std::string_view line = Trim(TakeLine(head));
    if (line.empty()) continue;
    if (count == 0 && IsGpuTitle(line)) {
      return Contains(head, " Link ") ? FileShape::kLinks : FileShape::kGpuList;
    }
    if (StartsTable(line, count == 0)) return FileShape::kTable;
    ++count;
  }
  return FileShape::kUnknown;
}

std::string_view WhyNoSeries(FileShape shape) {
  switch (shape) {
    case FileShape::kLinks:
      return "lists the speeds of GPU links at one moment (nvidia-smi c2c or nvlink)";
    case FileShape::kGpuList:
      return "is a list of GPUs (nvidia-smi -L)";
    case FileShape::kOneMoment:
      return "is a report about one moment (nvidia-smi or nvidia-smi -q)";
    case FileShape::kUnknown:
    case FileShape::kTable:
    case FileShape::kCapture:
      break;
  }
  return "";
}

}  // namespace gpuwhy::telemetry
