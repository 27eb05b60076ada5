// SPDX-License-Identifier: Apache-2.0
#include "collectors/foreign_formats.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

// Recognised by its first bytes, or by the end of its name where those are not documented.
struct ForeignFormat {
  std::string_view magic;
  std::string_view suffix;
  std::string_view what;
  std::string_view advice;  // {0} is the file's name, as a shell takes it
};

constexpr std::array<ForeignFormat, 9> kForeignFormats = {{
    {"PERFILE2", {}, "a recording of perf", "run perf script -i {0} > {0}.txt and import that"},
    {"2ELIFREP",
     {},
     "a recording of perf from a machine of the other byte order",
     "run perf script -i {0} > {0}.txt and import that"},
    {{"NVR\0", 4},
     {},
     "a report of Nsight Compute",
     "run ncu --import {0} --csv --page raw > {0}.csv and import that"},
    {{},
     ".nsys-rep",
     "a report of Nsight Systems",
     "run nsys export --type sqlite {0} and import that"},
    {{},
     ".qdrep",
     "a report of an old Nsight Systems",
     "run nsys export --type sqlite {0} and import that"},
    {{},
     ".qdstrm",
     "an unfinished report of Nsight Systems",
     "run QdstrmImporter -i {0}, then nsys export --type sqlite on its result"},
    {"PK\x03\x04", {}, "a zip archive", "run unzip {0} first and import what is in it"},
    {"\xFF\xFE",
     {},
     "text in UTF-16",
     "run iconv -f UTF-16 -t UTF-8 {0} > {0}.txt and import that"},
    {"\xFE\xFF",
     {},
     "text in UTF-16",
     "run iconv -f UTF-16 -t UTF-8 {0} > {0}.txt and import that"},
}};

bool IsPlain(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("/._-+,=@:%").find(c) != std::string_view::npos;
}

// The name as one word of a shell's command.
std::string ShellWord(std::string_view path) {
  std::string quoted = "'";
  bool is_plain = !path.starts_with('-');
  for (const char c : path) {
    is_plain = is_plain && IsPlain(c);
    quoted += c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1);
  }
  return is_plain ? std::string(path) : quoted + "'";
}

bool IsOfFormat(const FileHead& head, const ForeignFormat& format) {
  return format.magic.empty() ? head.path.ends_with(format.suffix)
                              : head.text.starts_with(format.magic);
}

}  // namespace

std::string HowToConvert(const FileHead& head) {
  for (const ForeignFormat& format : kForeignFormats) {
    if (!IsOfFormat(head, format)) continue;
    const std::string path = ShellWord(CleanText(head.path, kPathLimit));
    return fmt::format("is {}: {}", format.what, fmt::format(fmt::runtime(format.advice), path));
  }
  return {};
}

}  // namespace gpuwhy
