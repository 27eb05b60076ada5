// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/secret_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace gpuwhy {
namespace {

// The last word of a name, or its last two put together ("api", "key").
constexpr std::array<std::string_view, 19> kSecretWords{
    "token",   "password",    "passwd", "passphrase",  "pass",   "pwd",    "secret",
    "secrets", "credential",  "creds",  "credentials", "auth",   "bearer", "authorization",
    "cookie",  "accesstoken", "apikey", "authtoken",   "authkey"};
constexpr std::array<std::string_view, 12> kKeyKinds{"api",     "access",  "private", "secret",
                                                     "auth",    "account", "license", "encryption",
                                                     "signing", "service", "shared",  "master"};

bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}

// "--hfToken", "HF_TOKEN_2", "hf.token" -> {"hf", "token"}
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  char before = 0;
  for (const char c : name) {
    if (IsUpper(c) && IsLower(before)) words.emplace_back();
    if (IsUpper(c) || IsLower(c)) {
      words.back() += static_cast<char>(IsUpper(c) ? c - 'A' + 'a' : c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
    before = c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

template <typename List>
bool Contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool IsSecretName(std::string_view name) {
  const std::vector<std::string> words = WordsOf(name);
  if (words.empty()) return false;
  if (Contains(kSecretWords, words.back())) return true;
  if (words.size() < 2) return false;
  const std::string& kind = words[words.size() - 2];
  return (words.back() == "key" && Contains(kKeyKinds, kind)) ||
         Contains(kSecretWords, kind + words.back());
}

}  // namespace gpuwhy
