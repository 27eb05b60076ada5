// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/bpf_log.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr size_t kKeptBytes = 4096;
constexpr size_t kShownBytes = 160;
std::string* kept = nullptr;  // libbpf's printer has no argument of ours

int Keep(libbpf_print_level level, const char* format, va_list arguments) {
  char line[1024];
  const int length = vsnprintf(line, sizeof line, format, arguments);
  if (kept != nullptr && level == LIBBPF_WARN && kept->size() < kKeptBytes) *kept += line;
  return length;
}

std::string FirstLine(const std::string& text) {
  return CleanText(text.substr(0, text.find('\n')), kShownBytes);
}

}  // namespace

std::string ErrnoText(int error) {
  return std::error_code(std::abs(error), std::generic_category()).message();
}

BpfLog::BpfLog() {
  kept = new std::string;
  libbpf_set_print(&Keep);
}

BpfLog::~BpfLog() {
  delete kept;
  kept = nullptr;
}

Error BpfFailure(std::string_view doing, int error, std::string_view detail) {
  const int code = std::abs(error);
  if (code == EPERM || code == EACCES) {
    return Unavailable(fmt::format(
        "{}: not permitted; run as root (sudo gpuwhy trace ...) or give the program CAP_BPF, "
        "CAP_PERFMON and CAP_SYS_PTRACE",
        doing));
  }
  return Unavailable(fmt::format("{}: {}{}{}; `gpuwhy check` says what this kernel offers", doing,
                                 ErrnoText(code), detail.empty() ? "" : ": ", detail));
}

Error BpfLog::Failure(std::string_view doing, int error) const {
  return BpfFailure(doing, error, FirstLine(*kept));
}

}  // namespace gpuwhy
