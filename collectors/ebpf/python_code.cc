// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/python_code.h"

#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "collectors/ebpf/python_lines.h"
#include "collectors/ebpf/python_text.h"

namespace gpuwhy {
namespace {

constexpr size_t kBytesHeaderBytes = 32;  // of a bytes object
constexpr size_t kTableLimit = 1U << 20U;

}  // namespace

PythonFunction::PythonFunction(const PythonCode& code)
    : identity_(code.identity),
      name_(PythonTextOf(code.name_text, code.name)),
      file_(PythonTextOf(code.file_text, code.file)),
      lines_(code.lines, code.lines + std::min<size_t>(code.lines_bytes, sizeof code.lines)),
      lines_bytes_(code.lines_bytes) {
  if (name_.empty()) name_ = "<unknown Python function>";
}

// The table may be gone and its place be taken: what is known of it must still be there.
bool PythonFunction::ReadWholeTable() {
  if (lines_bytes_ > kTableLimit) return false;
  std::vector<uint8_t> whole(lines_bytes_);
  iovec local{whole.data(), whole.size()};
  // An address of the other process: nothing here may optimise by it.
  iovec remote{nullptr, whole.size()};
  const uint64_t address = identity_.lines + kBytesHeaderBytes;
  std::memcpy(&remote.iov_base, &address, sizeof address);
  const auto pid = static_cast<pid_t>(identity_.tgid);
  const ssize_t count = process_vm_readv(pid, &local, 1, &remote, 1, 0);
  if (count != static_cast<ssize_t>(whole.size())) return false;
  if (!std::equal(lines_.begin(), lines_.end(), whole.begin())) return false;
  lines_ = std::move(whole);
  return true;
}

int64_t PythonFunction::LineAt(int64_t instruction_bytes, bool& is_exact) {
  is_exact = true;
  if (instruction_bytes < 0) return identity_.first_line;  // it has only been called
  auto line = PythonLineAt(lines_, identity_.first_line, instruction_bytes);
  if (!line && lines_.size() < lines_bytes_ && ReadWholeTable()) {
    line = PythonLineAt(lines_, identity_.first_line, instruction_bytes);
  }
  is_exact = line.has_value();
  return line.value_or(0) > 0 ? *line : identity_.first_line;
}

}  // namespace gpuwhy
