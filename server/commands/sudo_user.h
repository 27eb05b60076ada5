// SPDX-License-Identifier: Apache-2.0
// The user who called sudo: recording needs root, but the trace is that user's. Without sudo, or as
// an ordinary user, nothing is changed. Any thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "schema/base/result.h"

namespace gpuwhy {

struct SudoUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home;  // empty when unknown
};

// From SUDO_UID and SUDO_GID, which only count for root.
std::optional<SudoUser> FindSudoUser();

// Makes the file or folder that user's; a symbolic link is not followed.
void GiveToSudoUser(const std::string& path);

// Makes what is missing of the path, each new folder that user's.
Status MakeFolders(const std::string& path);

}  // namespace gpuwhy
