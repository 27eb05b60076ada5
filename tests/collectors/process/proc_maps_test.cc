// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/proc_maps.h"

#include <unistd.h>

#include <algorithm>

#include "tests/catch.h"

namespace gpuwhy {
namespace {

TEST_CASE("proc maps: a line gives range, file and path", "[process]") {
  const auto mapping =
      ParseMapsLine("7f1c3a000000-7f1c3a028000 r-xp 00001000 fe:01 1835  /usr/lib/libcudart.so.12");

  REQUIRE(mapping);
  CHECK(mapping->start == 0x7f1c3a000000);
  CHECK(mapping->end == 0x7f1c3a028000);
  CHECK(mapping->file_offset == 0x1000);
  CHECK(mapping->is_executable);
  CHECK(mapping->file == FileId{0xfe, 1, 1835});
  CHECK(mapping->path == "/usr/lib/libcudart.so.12");
  CHECK_FALSE(mapping->is_deleted);
}

TEST_CASE("proc maps: paths with spaces, marks and no file are kept as they are", "[process]") {
  const std::string file = "1000-2000 rw-p 00000000 08:01 12      ";
  const std::string no_file = "1000-2000 rw-s 00000000 00:00 0       ";

  CHECK(ParseMapsLine(file + "/opt/my app/a b.so ")->path == "/opt/my app/a b.so ");
  CHECK(ParseMapsLine(file + "/x/lib.so (deleted)")->path == "/x/lib.so");
  CHECK(ParseMapsLine(file + "/x/lib.so (deleted)")->is_deleted);
  CHECK(ParseMapsLine(file + "/x/two\\012lines.so")->path == "/x/two\nlines.so");
  CHECK(ParseMapsLine(no_file + "[vdso]")->path == "[vdso]");
  CHECK(ParseMapsLine(no_file + "//anon")->path == "//anon");
  CHECK_FALSE(ParseMapsLine(no_file + "[anon:x (deleted)")->is_deleted);
  CHECK(ParseMapsLine("1000-2000 rw-p 00000000 00:00 0 ")->path.empty());
  CHECK(ParseMapsLine("1000-2000 rw-p 00000000 00:00 0")->path.empty());
}

TEST_CASE("proc maps: lines of another form are refused and counted", "[process]") {
  const std::string line =
      GENERATE(as<std::string>(), "", "x", "1000", "1000-", "2000-1000 r-xp 0 0:0 0",
               "1000-2000r-xp 0 0:0 0", "1000-2000 r-x", "1000-2000 r-xp z 0:0 0",
               "1000-2000 r-xp 0 00 0", "1000-2000 r-xp 0 0:0 ", "1000-2000 r-xp 0 0:0 5x /a",
               "11111111111111111-22222222222222222 r-xp 0 0:0 0");
  INFO(line);

  CHECK_FALSE(ParseMapsLine(line));
  const ProcessMaps maps = ParseMaps(line + "\n1000-2000 r-xp 00000000 00:00 0 \n");
  CHECK(maps.skipped_line_count == 1);
  CHECK(maps.mappings.size() == 1);
}

TEST_CASE("proc maps: our own code is where our functions are", "[process]") {
  const auto maps = ReadMaps(getpid());
  const auto address = reinterpret_cast<uint64_t>(&ParseMaps);

  REQUIRE(maps.ok());
  CHECK(maps.value().skipped_line_count == 0);
  const auto& all = maps.value().mappings;
  const auto own = std::find_if(all.begin(), all.end(), [&](const Mapping& mapping) {
    return mapping.start <= address && address < mapping.end;
  });
  REQUIRE(own != all.end());
  CHECK(own->is_executable);
  CHECK(own->file.inode != 0);
}

TEST_CASE("proc maps: a process that does not exist is an error that names it", "[process]") {
  const auto maps = ReadMaps(0x7ffffff0);

  REQUIRE_FALSE(maps.ok());
  CHECK(maps.error().code == ErrorCode::kNotFound);
  CHECK(maps.error().message.find("/proc/2147483632/maps") != std::string::npos);
}

}  // namespace
}  // namespace gpuwhy
