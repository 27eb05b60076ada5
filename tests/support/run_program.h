// SPDX-License-Identifier: Apache-2.0
// Runs the real program, as a shell would, and keeps what it printed.
#pragma once

#include <string>
#include <vector>

namespace gpuwhy {

struct ProgramResult {
  int exit_code = -1;  // -1 when it did not exit by itself
  std::string out;
  std::string err;
};

// `environment` entries are NAME=value. Without HOME in it, HOME is a folder that does not exist,
// so that no default database is found.
ProgramResult RunProgram(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment = {});

// The same without these capabilities ("bpf", "sys_admin"): root runs it by setpriv, others have
// none anyway.
ProgramResult RunProgramWithout(const std::vector<std::string>& capabilities,
                                const std::vector<std::string>& arguments);

}  // namespace gpuwhy
