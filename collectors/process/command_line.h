// SPDX-License-Identifier: Apache-2.0
// The command line of a process, without what must not end in a trace: values of options, settings
// and headers that are named like secrets, credentials in URLs, and keys known by their form.
// What a program takes without a name for it ("login me hunter2") cannot be told. Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

inline constexpr std::string_view kRedacted = "[redacted]";

// Arguments joined by spaces, secrets replaced by kRedacted.
std::string RedactedCommandLine(const std::vector<std::string>& arguments);

// /proc/PID/cmdline: each argument ends with a NUL. Empty for a thread of the kernel.
std::vector<std::string> SplitArguments(std::string_view bytes);
Result<std::string> ReadRedactedCommandLine(pid_t pid);

}  // namespace gpuwhy
