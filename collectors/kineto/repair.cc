// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collectors/kineto/structure.h"
#include "schema/base/text.h"

namespace gpuwhy::kineto {
namespace {

constexpr std::array<std::string_view, 11> kEventKeys = {"ph",  "cat",  "name", "pid", "tid", "ts",
                                                         "dur", "args", "id",   "s",   "bp"};

size_t SkipSpace(std::string_view text, size_t at) {
  while (at < text.size() && IsSpace(text[at]))
    ++at;
  return at;
}

// The known key that starts at `at` as `"key":`, or nothing.
std::string_view KeyAt(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != '"') return {};
  const size_t end = text.find('"', at + 1);
  if (end == std::string_view::npos) return {};
  const std::string_view word = text.substr(at + 1, end - at - 1);
  if (std::find(kEventKeys.begin(), kEventKeys.end(), word) == kEventKeys.end()) return {};
  const size_t colon = SkipSpace(text, end + 1);
  return colon < text.size() && text[colon] == ':' ? word : std::string_view();
}

bool EndsWithSkippingSpace(std::string_view text, char wanted, size_t& at) {
  while (at > 0 && IsSpace(text[at - 1]))
    --at;
  return at > 0 && text[--at] == wanted;
}

void AppendEscaped(std::string& out, char c) {
  if (static_cast<unsigned char>(c) < 0x20) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
  } else {
    out += c;
  }
}

// Copies JSON token by token, mending what is wrong in each.
class Cleaner {
 public:
  explicit Cleaner(std::string_view text) : text_(text) { out_.reserve(text.size() + 16); }

  std::string Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        CopyString();
      } else if (c == ',') {
        CopyComma();
      } else if (std::string_view("{}[]: \n\r\t").find(c) != std::string_view::npos) {
        out_ += c;
        ++at_;
      } else {
        CopyWord();
      }
    }
    return std::move(out_);
  }

 private:
  void CopyString() {
    out_ += text_[at_++];
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        CopyEscape();
      } else {
        AppendEscaped(out_, text_[at_++]);
      }
    }
    out_ += '"';
    ++at_;
  }
  void CopyEscape() {
    const bool is_known =
        std::string_view("\"\\/bfnrtu").find(text_[at_ + 1]) != std::string_view::npos;
    out_ += is_known ? "\\" : "\\\\";
    ++at_;
    if (is_known) out_ += text_[at_++];
  }
  // A comma before a closing bracket, after an opening one or after another comma is surplus.
  void CopyComma() {
    const size_t next = SkipSpace(text_, at_ + 1);
    const bool is_before_end =
        next >= text_.size() || text_[next] == '}' || text_[next] == ']' || text_[next] == ',';
    const size_t last = out_.find_last_not_of(" \n\r\t");
    const bool is_first = last == std::string::npos || out_[last] == '{' || out_[last] == '[';
    if (!is_before_end && !is_first) out_ += ',';
    ++at_;
  }
  void CopyWord() {
    const size_t end = std::min(text_.find_first_of("{}[]:,\" \n\r\t", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    const bool is_json = word == "true" || word == "false" || word == "null" ||
                         word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    if (is_json) {
      out_ += word;
      return;
    }
    out_ += '"';
    for (const char c : word) {
      if (c == '\\') out_ += '\\';
      AppendEscaped(out_, c);
    }
    out_ += '"';
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
};

// End of the string that starts at `begin` (after its quote): the first quote behind which a known
// key or the end of the event follows.
size_t FindLooseStringEnd(std::string_view text, size_t begin) {
  for (size_t quote = text.find('"', begin); quote != std::string_view::npos;
       quote = text.find('"', quote + 1)) {
    size_t next = SkipSpace(text, quote + 1);
    if (next >= text.size()) return quote;
    if (text[next] == '}' && SkipSpace(text, next + 1) >= text.size()) return quote;
    if (text[next] == ',' && !KeyAt(text, SkipSpace(text, next + 1)).empty()) return quote;
  }
  return std::string_view::npos;
}

std::string QuoteLoose(std::string_view raw) {
  std::string out = "\"";
  for (size_t i = 0; i < raw.size(); ++i) {
    const bool is_escape =
        raw[i] == '\\' && i + 1 < raw.size() && (raw[i + 1] == '"' || raw[i + 1] == '\\');
    if (is_escape) {
      out += raw.substr(i++, 2);
    } else if (raw[i] == '"' || raw[i] == '\\') {
      out += '\\';
      out += raw[i];
    } else {
      AppendEscaped(out, raw[i]);
    }
  }
  return out + "\"";
}

// Reads one value at `at` in the loose manner and moves `at` behind it.
std::string TakeLooseValue(std::string_view text, std::string_view key, size_t& at) {
  if (text[at] == '"') {
    const size_t end = FindLooseStringEnd(text, at + 1);
    if (end == std::string_view::npos) return {};
    std::string value = QuoteLoose(text.substr(at + 1, end - at - 1));
    at = end + 1;
    return value;
  }
  if (text[at] == '{' || text[at] == '[') {
    // FindValueEnd reads past the end in whole blocks.
    std::string padded(text.substr(at));
    const size_t size = padded.size();
    padded.resize(size + kScanPaddingBytes);
    const char* end = FindValueEnd(padded.data(), padded.data() + size);
    const size_t length = end == nullptr ? size : static_cast<size_t>(end - padded.data());
    at += length;
    if (end == nullptr || key != "args") return {};
    return CleanJson(std::string_view(padded).substr(0, length));
  }
  const size_t end = std::min(text.find_first_of(",}] \n\r\t", at), text.size());
  std::string value = CleanJson(text.substr(at, end - at));
  at = end;
  return value;
}

}  // namespace

std::string CleanJson(std::string_view text) {
  return Cleaner(ReplaceInvalidUtf8(text)).Run();
}

std::optional<std::string> SalvageEvent(std::string_view raw) {
  const std::string valid = ReplaceInvalidUtf8(raw);
  const std::string_view text = valid;
  std::string out = "{";
  bool has_phase = false;
  for (size_t at = text.find('"'); at < text.size();) {
    const std::string_view key = KeyAt(text, at);
    if (key.empty()) {
      at = text.find('"', at + 1);
      continue;
    }
    at = SkipSpace(text, text.find(':', at) + 1);
    if (at >= text.size()) break;
    const std::string value = TakeLooseValue(text, key, at);
    if (value.empty()) continue;
    out += fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", key, value);
    has_phase = has_phase || key == "ph";
    at = text.find('"', at);
  }
  if (!has_phase) return std::nullopt;
  return out + "}";
}

size_t FindEventStart(std::string_view text, size_t from) {
  for (size_t at = text.find('{', from); at != std::string_view::npos;
       at = text.find('{', at + 1)) {
    const std::string_view key = KeyAt(text, SkipSpace(text, at + 1));
    if (key.empty() || key == "args") continue;
    size_t before = at;
    if (EndsWithSkippingSpace(text, ',', before) && EndsWithSkippingSpace(text, '}', before)) {
      return at;
    }
  }
  return std::string_view::npos;
}

size_t FindArrayEnd(std::string_view text, size_t from) {
  for (size_t at = text.find(']', from); at != std::string_view::npos;
       at = text.find(']', at + 1)) {
    size_t before = at;
    if (!EndsWithSkippingSpace(text, '}', before)) continue;
    const size_t next = SkipSpace(text, at + 1);
    if (next >= text.size() || text[next] == '}') return at;
    const size_t key = SkipSpace(text, next + 1);
    if (text[next] == ',' && key < text.size() && text[key] == '"') return at;
  }
  return std::string_view::npos;
}

}  // namespace gpuwhy::kineto
