// SPDX-License-Identifier: Apache-2.0
// Records a script that a real interpreter runs. Interpreters are python3 and python3.11 to 3.14 of
// PATH, and those of GPUWHY_TEST_PYTHONS: commands between colons, such as "chroot /root python3".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/collectors/ebpf/recorded.h"

namespace gpuwhy {

using Command = std::vector<std::string>;

// Those that run and are of a version that can be followed; each version and place once.
std::vector<Command> Interpreters();
// "3.11.7" and where it is.
std::string VersionOf(const Command& interpreter);

// A script with its lines by text.
class Script {
 public:
  explicit Script(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  // Of the first line with this text.
  int LineOf(const std::string& part) const;
  // "name:line" for a frame of the script.
  std::string Frame(const std::string& function, const std::string& line_text) const;

 private:
  std::string text_;
};

RecordedRun RecordScript(const Command& interpreter, const Script& script,
                         RecordingSetup setup = {});

// How many samples have each Python stack: "inner:3 < outer:7 < <module>:9", native frames left
// out.
std::map<std::string, int64_t> PythonStacks(const RecordedRun& run);
// The most frequent of those that contain `part`.
std::string HottestWith(const std::map<std::string, int64_t>& stacks, const std::string& part);
// The same of one callsite.
std::string PythonStackOf(const RecordedRun& run, int64_t callsite);

}  // namespace gpuwhy
