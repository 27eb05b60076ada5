// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/secrets.h"

#include <algorithm>
#include <array>

#include "collectors/process/command_line.h"
#include "collectors/process/secret_names.h"

namespace gpuwhy {
namespace {

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsNameChar(char c) {
  return IsAlphanumeric(c) || c == '_' || c == '-' || c == '.';
}
bool IsQuote(char c) {
  return c == '"' || c == '\'';
}
bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

struct KeyForm {
  std::string_view prefix;
  size_t least_bytes;  // after the prefix
};
constexpr std::array kKeyForms{
    KeyForm{"AKIA", 16},        KeyForm{"ASIA", 16},  KeyForm{"ghp_", 20},  KeyForm{"gho_", 20},
    KeyForm{"ghs_", 20},        KeyForm{"ghu_", 20},  KeyForm{"hf_", 20},   KeyForm{"sk-", 20},
    KeyForm{"github_pat_", 20}, KeyForm{"xoxb-", 20}, KeyForm{"xoxp-", 20}, KeyForm{"glpat-", 16},
    KeyForm{"nvapi-", 20},      KeyForm{"AIza", 30},  KeyForm{"eyJ", 30},   KeyForm{"npm_", 30}};

size_t RunLength(std::string_view text, bool (*is_in)(char)) {
  const auto* end = std::find_if_not(text.begin(), text.end(), is_in);
  return static_cast<size_t>(end - text.begin());
}

bool HasKeyForm(std::string_view word) {
  return std::any_of(kKeyForms.begin(), kKeyForms.end(), [word](const KeyForm& form) {
    return word.starts_with(form.prefix) && word.size() >= form.prefix.size() + form.least_bytes;
  });
}

// Goes over the text once and copies what may be seen.
class Redactor {
 public:
  explicit Redactor(std::string_view text) : text_(text) {}

  std::string Run() {
    while (at_ < text_.size()) {
      if (TakeCredentials()) continue;
      if (IsNameChar(text_[at_])) {
        TakeWord();
      } else {
        Copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  std::string_view Rest() const { return text_.substr(at_); }
  void Copy(size_t count) {
    out_ += text_.substr(at_, count);
    at_ += count;
  }
  void Drop(size_t count) {
    if (count == 0) return;
    out_ += kRedacted;
    at_ += count;
  }

  // "://user:password@": up to the last '@' before the path.
  bool TakeCredentials() {
    if (!Rest().starts_with("://")) return false;
    const size_t start = at_ + 3;
    const size_t end = std::min(text_.find_first_of("/?# \t\n\"'", start), text_.size());
    const size_t sign = text_.substr(start, end - start).rfind('@');
    Copy(3);
    if (sign != std::string_view::npos) Drop(sign);
    return true;
  }

  void TakeWord() {
    const size_t start = at_;
    const std::string_view word = Rest().substr(0, RunLength(Rest(), IsNameChar));
    if (HasKeyForm(word)) return Drop(word.size());
    Copy(word.size());
    if (!IsSecretName(word)) return;
    if (start == 0 && Rest().starts_with('=')) {  // the whole argument is NAME=value
      Copy(1);
      return Drop(Rest().size());
    }
    if (CopySeparator(word)) DropValue();
  }

  // `=`, `: `, `": "`, or the space after an option. Copied when a value follows.
  bool CopySeparator(std::string_view name) {
    std::string_view rest = Rest();
    size_t count = !rest.empty() && IsQuote(rest.front()) ? 1 : 0;
    count += RunLength(rest.substr(count), IsBlank);
    const bool has_sign = count < rest.size() && (rest[count] == '=' || rest[count] == ':');
    const bool is_option = name.starts_with("--") && count > 0;
    if (!has_sign && !is_option) return false;
    if (has_sign) ++count;
    count += RunLength(rest.substr(count), IsBlank);
    if (rest.substr(count).starts_with("--") || rest.substr(count).starts_with("//")) return false;
    Copy(count);
    return true;
  }

  // A quoted value ends at its quote, a plain one where the next setting may begin.
  void DropValue() {
    const std::string_view rest = Rest();
    if (!rest.empty() && IsQuote(rest.front())) {
      const char quote = rest.front();
      Copy(1);
      return Drop(std::min(Rest().find(quote), Rest().size()));
    }
    size_t end = std::min(rest.find_first_of("&;, \t\n\"'"), rest.size());
    const std::string_view scheme = rest.substr(0, end);
    if (scheme == "Bearer" || scheme == "Basic" || scheme == "bearer" || scheme == "token") {
      end = std::min(rest.find_first_of("&;,\n\"'"), rest.size());
    }
    Drop(end);
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string RedactText(std::string_view text) {
  return Redactor(text).Run();
}

}  // namespace gpuwhy
