// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/frame_book.h"

#include <fmt/format.h>

#include <iterator>

#include "collectors/demangle.h"
#include "collectors/perf/frame_names.h"
#include "collectors/perf/text_fields.h"
#include "schema/base/text.h"

namespace gpuwhy::perf {
namespace {

constexpr size_t kMaxNameLength = 8192;  // as of demangled names

int64_t InternPythonFrame(const FrameRow& frame, Recorder& recorder) {
  const std::string function = CleanText(frame.function_name, kMaxNameLength);
  const std::string file = CleanText(frame.file, kMaxNameLength);
  return recorder.InternFrame({.kind = frame.kind,
                               .function_name = function,
                               .module = {},
                               .file = file,
                               .line = frame.line});
}

}  // namespace

int64_t FrameBook::FrameOf(const FrameLine& line) {
  const bool is_kernel = IsKernelModule(line.module, ParseHex(line.address).value_or(0));
  key_.clear();
  fmt::format_to(std::back_inserter(key_), "{}\x1f{}\x1f{}", is_kernel ? 'k' : 'u',
                 line.symbol.empty() ? line.address : line.symbol, line.module);
  int64_t& id = frames_[key_];
  if (id == 0) id = Intern(line, is_kernel);
  return id;
}

int64_t FrameBook::Intern(const FrameLine& line, bool is_kernel) {
  if (const FrameRow python = PythonFrame(line.symbol); !python.kind.empty() && !is_kernel) {
    return InternPythonFrame(python, recorder_);
  }
  const std::string name = line.symbol.empty() ? fmt::format("0x{}", line.address)
                                               : CleanText(Demangle(line.symbol), kMaxNameLength);
  const std::string module = CleanText(line.module, kMaxNameLength);
  return recorder_.InternFrame({.kind = is_kernel ? "kernel" : "native",
                                .function_name = name,
                                .module = module,
                                .file = {},
                                .line = {}});
}

}  // namespace gpuwhy::perf
