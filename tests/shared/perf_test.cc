// SPDX-License-Identifier: Apache-2.0
// Every real `perf script` text and every folded text, against the facts in INDEX.tsv; the files
// that FlameGraph published results for are compared stack by stack in perf_flamegraph_test.cc.
#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "collectors/import_file.h"
#include "tests/catch.h"
#include "tests/support/imported.h"
#include "tests/support/shared_data.h"

using gpuwhy::ImportFile;
using gpuwhy::LossCount;
using gpuwhy::SharedData;
using gpuwhy::TraceDb;

namespace {

TraceDb Import(const std::string& relative_path) {
  auto db = gpuwhy::Imported(SharedData(relative_path));
  INFO(relative_path << ": " << (db.ok() ? "" : db.error().message));
  REQUIRE(db.ok());
  return std::move(db).value();
}

int64_t Int(const TraceDb& db, std::string_view sql) {
  const auto value = db.QueryInt(sql);
  REQUIRE(value.ok());
  return value.value();
}

int64_t Number(const std::string& text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "lines=45 weight_sum=152364" of each folded text.
std::map<std::string, int64_t> WeightSums() {
  static const std::regex entry(R"(^(folded/[^\t]*)\t.*weight_sum=(\d+).*)");
  std::ifstream index(SharedData("INDEX.tsv"));
  std::map<std::string, int64_t> sums;
  std::smatch match;
  for (std::string line; std::getline(index, line);) {
    if (std::regex_match(line, match, entry)) sums[match[1]] = Number(match[2]);
  }
  return sums;
}

}  // namespace

TEST_CASE("perf: every folded text has the sum of its counts", "[folded]") {
  const auto sums = WeightSums();
  REQUIRE(sums.size() > 80);
  for (const auto& [path, sum] : sums) {
    INFO(path);
    const TraceDb db = Import(path);
    CHECK(Int(db, "SELECT sum(weight_count) FROM sample") == sum);
    CHECK(LossCount(db, "folded_line_not_understood") ==
          (path.ends_with("simple-with-invalids.txt") ? 1 : 0));
  }
}

TEST_CASE("perf: folded texts in UTF-16 are refused with a command", "[folded]") {
  const auto db = TraceDb::CreateInMemory();
  for (const char* name : {"be", "le"}) {
    const std::string path = SharedData(fmt::format("folded/speedscope/simple-utf16-{}.txt", name));
    const auto report = ImportFile(db.value(), path, {});
    REQUIRE_FALSE(report.ok());
    CHECK(report.error().message.find("iconv -f UTF-16") != std::string::npos);
  }
}

TEST_CASE("perf: texts of other programs' test suites", "[perf]") {
  struct Expected {
    const char* path;
    int64_t sample_count;
    int64_t thread_count;
    int64_t branch_count;
  };
  for (const Expected& expected : {
           Expected{"copyforward-hybrid-cpu/perf.script", 126, 1, 0},
           Expected{"dynolog-intel-pt/perf_script_output__cpu_wide_short.txt", 0, 0, 17},
           Expected{"dynolog-intel-pt/perf_script_output__cpu_wide_tiny.txt", 0, 0, 4},
           Expected{"dynolog-intel-pt/perf_script_output__stress_ushort.txt", 0, 0, 60},
           Expected{"firefox-profiler/graphviz.perf.gz", 312, 2, 0},
           Expected{"firefox-profiler/gzip.perf.gz", 420, 2, 0},
           Expected{"firefox-profiler/simple-perf.txt.gz", 163, 12, 0},
           Expected{"firefox-profiler/test.perf.gz", 73, 17, 0},
           Expected{"flamegraph/example-perf-stacks.txt.gz", 1315, 15, 0},
           Expected{"speedscope/forks.linux-perf.txt", 561, 4, 0},
           Expected{"speedscope/one-sample.linux-perf.txt", 1, 1, 0},
           Expected{"speedscope/rust-mangled.linux-perf.txt", 96, 1, 0},
           Expected{"speedscope/simple-with-header.linux-perf.txt", 136, 1, 0},
           Expected{"speedscope/simple-with-pid.linux-perf.txt", 137, 1, 0},
           Expected{"speedscope/simple.linux-perf.txt", 1, 1, 0},
           Expected{"speedscope/system-wide.linux-perf.txt", 556, 2, 0},
       }) {
    INFO(expected.path);
    const TraceDb db = Import(std::string("perf-script/") + expected.path);
    CHECK(Int(db, "SELECT count(*) FROM sample") == expected.sample_count);
    CHECK(Int(db, "SELECT count(*) FROM thread") == expected.thread_count);
    CHECK(LossCount(db, "perf_branch_not_stored") == expected.branch_count);
    CHECK(LossCount(db, "perf_line_not_understood") == 0);
    CHECK(LossCount(db, "perf_frame_without_sample") == 0);
  }
}

TEST_CASE("perf: a thread name with brackets and blanks", "[perf]") {
  const TraceDb db = Import("edge-cases/perf-bracketed-thread-name.txt");
  CHECK(Int(db, "SELECT count(*) FROM sample") == 1);
  CHECK(Int(db, "SELECT count(*) FROM thread WHERE name = '[ET_NET 0]' AND tid = 21332") == 1);
  CHECK(Int(db, "SELECT count(*) FROM callsite") == 2);
}

TEST_CASE("perf: no other kind of file is taken for one of these", "[perf]") {
  std::ifstream index(SharedData("INDEX.tsv"));
  for (std::string line; std::getline(index, line);) {
    std::istringstream fields(line);
    std::string path;
    std::string kind;
    std::getline(fields, path, '\t');
    std::getline(fields, kind, '\t');
    if (kind == "kind" || kind == "perf-script" || kind == "folded" ||
        path == "edge-cases/perf-bracketed-thread-name.txt") {
      continue;
    }
    INFO(path);
    const auto head = gpuwhy::ReadFileHead(SharedData(path));
    if (!head.ok()) continue;
    const gpuwhy::Importer* importer = gpuwhy::FindImporter(head.value());
    CHECK((importer == nullptr || (importer->name != "perf_script" && importer->name != "folded")));
  }
}
