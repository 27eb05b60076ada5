// SPDX-License-Identifier: Apache-2.0
#include "server/commands/sudo_user.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

template <typename Id>
std::optional<Id> IdOf(const char* name) {
  const char* value = std::getenv(name);
  const std::string_view text = value == nullptr ? "" : value;
  Id id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return id;
}

}  // namespace

std::optional<SudoUser> FindSudoUser() {
  const auto uid = IdOf<uid_t>("SUDO_UID");
  const auto gid = IdOf<gid_t>("SUDO_GID");
  if (geteuid() != 0 || !uid || !gid) return std::nullopt;
  const passwd* entry = getpwuid(*uid);
  return SudoUser{
      .uid = *uid, .gid = *gid, .home = entry == nullptr ? "" : std::string(entry->pw_dir)};
}

void GiveToSudoUser(const std::string& path) {
  const auto user = FindSudoUser();
  // A file system without owners (a Windows share) is no reason to fail.
  if (user) static_cast<void>(lchown(path.c_str(), user->uid, user->gid) == 0);
}

Status MakeFolders(const std::string& path) {
  std::filesystem::path folder;
  for (const auto& part : std::filesystem::path(path)) {
    folder /= part;
    std::error_code failure;
    if (std::filesystem::create_directory(folder, failure)) GiveToSudoUser(folder.string());
    if (std::error_code ignored; std::filesystem::is_directory(folder, ignored)) continue;
    return Unavailable(fmt::format("cannot make the folder {}: {}", CleanText(folder.string(), 200),
                                   failure ? failure.message() : "a file has this name"));
  }
  return {};
}

}  // namespace gpuwhy
