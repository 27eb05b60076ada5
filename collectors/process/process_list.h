// SPDX-License-Identifier: Apache-2.0
// Which processes there are now, and those that a user means by a name, a cgroup or a parent.
// Processes that end while the list is made are absent. Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

// The entries of a directory that are numbers, sorted.
Result<std::vector<pid_t>> ListNumbers(const std::string& directory);
Result<std::vector<pid_t>> ListPids();

// The kernel keeps 15 bytes of a name: of a longer `name` only those are compared.
Result<std::vector<pid_t>> PidsOfName(std::string_view name);
// In this cgroup or below it, in any hierarchy: "/system.slice/docker-6c1f...scope".
Result<std::vector<pid_t>> PidsOfCgroup(std::string_view path);
// Children, their children and so on, without `pid` itself.
Result<std::vector<pid_t>> DescendantsOf(pid_t pid);

}  // namespace gpuwhy
