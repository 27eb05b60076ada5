// SPDX-License-Identifier: Apache-2.0
// Real `perf script` texts against the folded stacks that FlameGraph itself published for them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "collectors/demangle.h"
#include "tests/catch.h"
#include "tests/support/imported.h"
#include "tests/support/shared_data.h"

using gpuwhy::LossCount;
using gpuwhy::SharedData;
using gpuwhy::TraceDb;

namespace {

using Folded = std::map<std::string, int64_t>;

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

struct Frame {
  std::string kind;
  std::string function;
  std::string module;
};

struct Sample {
  std::string comm;
  int64_t tid = 0;
  std::vector<Frame> stack;  // outermost first
};

std::map<int64_t, std::pair<int64_t, Frame>> Callsites(const TraceDb& db) {
  std::map<int64_t, std::pair<int64_t, Frame>> callsites;
  REQUIRE(db.Query("SELECT c.id, coalesce(parent_id, 0), kind, function_name, module "
                   "FROM callsite c JOIN frame f ON f.id = frame_id",
                   {},
                   [&](const gpuwhy::Row& row) {
                     callsites[row.Int(0)] = {row.Int(1),
                                              {std::string(row.Text(2)), std::string(row.Text(3)),
                                               std::string(row.Text(4))}};
                   })
              .ok());
  return callsites;
}

// In the order of the file.
std::vector<Sample> Samples(const TraceDb& db) {
  const auto callsites = Callsites(db);
  std::vector<Sample> samples;
  REQUIRE(db.Query("SELECT name, tid, callsite_id FROM sample s JOIN thread t ON t.id = thread_id "
                   "ORDER BY s.id",
                   {},
                   [&](const gpuwhy::Row& row) {
                     Sample sample{std::string(row.Text(0)), row.Int(1), {}};
                     for (int64_t id = row.Int(2); id != 0; id = callsites.at(id).first)
                       sample.stack.insert(sample.stack.begin(), callsites.at(id).second);
                     samples.push_back(std::move(sample));
                   })
              .ok());
  return samples;
}

std::string Without(std::string text, const std::regex& what) {
  return std::regex_replace(text, what, "");
}

// What stackcollapse-perf.pl makes of a function's name: no arguments, no quotes, ":" for ";", and
// no "L" before a class where it calls the process just "java".
std::string Tidy(const std::string& process, std::string function) {
  static const std::regex go_method(R"(\.\(.*\)\.)");
  static const std::regex arguments(R"(\((?!anonymous namespace\)).*)");
  static const std::regex quotes(R"(["'])");
  std::ranges::replace(function, ';', ':');
  if (!std::regex_search(function, go_method)) function = Without(function, arguments);
  function = Without(function, quotes);
  const bool is_class =
      process == "java" && function.starts_with('L') && function.find('/') != std::string::npos;
  return is_class ? function.substr(1) : function;
}

// Its option for the frames: with addresses of unknown functions, or with a mark on the kernel's.
enum class Style { kPlain, kAddresses, kKernel };

std::string FrameText(const std::string& process, const Frame& frame, Style style) {
  // It leaves the name empty where perf printed none, not even [unknown].
  static const std::set<std::string> nameless = {"0x7f1e2215d058", "0x7f1e2215d0c0"};
  std::string text = frame.function;
  if (nameless.contains(text)) return " ";
  if (text.starts_with("0x")) {
    std::string module = frame.module.substr(frame.module.rfind('/') + 1);
    if (module.empty()) module = "unknown";
    const std::string address = style == Style::kAddresses ? " <" + text.substr(2) + ">" : "";
    text = "[" + module + address + "]";
  }
  // Code of the vdso is the kernel's and runs in user mode; FlameGraph marks it.
  const bool is_marked = frame.kind == "kernel" || frame.module == "[vdso]";
  return Tidy(process, text) + (style == Style::kKernel && is_marked ? "_[k]" : "");
}

std::string StackText(const Sample& sample, Style style, bool has_tid) {
  std::string process = sample.comm;
  std::ranges::replace(process, ' ', '_');
  if (has_tid) process += fmt::format("/{}", sample.tid);
  std::string text = process;
  for (const Frame& frame : sample.stack)
    text += ";" + FrameText(process, frame, style);
  return text;
}

// gpuwhy demangles the names that perf left mangled.
std::string Demangled(const std::string& stack) {
  std::istringstream frames(stack);
  std::string text;
  for (std::string frame; std::getline(frames, frame, ';');) {
    const std::string name = gpuwhy::Demangle(frame);
    text += (text.empty() ? "" : ";") + (name == frame ? frame : Tidy({}, name));
  }
  return text;
}

Folded ReadFolded(const std::string& relative_path) {
  std::ifstream file(SharedData(relative_path));
  REQUIRE(file.good());
  Folded folded;
  for (std::string line; std::getline(file, line);) {
    const size_t blank = line.rfind(' ');
    REQUIRE(blank != std::string::npos);
    folded[Demangled(line.substr(0, blank))] += Number(line.substr(blank + 1));
  }
  return folded;
}

// The lines that begin samples, in the order of the file.
struct Header {
  std::string event;
  int64_t period = 1;
};

struct Headers {
  std::vector<Header> all;
  bool ends_with_blank_line = false;
};

Headers ReadHeaders(const std::string& relative_path) {
  static const std::regex header(R"(^[^\s#].*\s(\S+)\s+(\S+):\s*$)");
  static const std::regex period(R"(.*:\s+(\d+)\s+\S+:\s*$)");
  std::ifstream file(SharedData(relative_path));
  REQUIRE(file.good());
  Headers headers;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    headers.ends_with_blank_line = line.empty();
    if (!std::regex_match(line, match, header)) continue;
    headers.all.push_back({match[2], 1});
    if (std::regex_match(line, match, period)) headers.all.back().period = Number(match[1]);
  }
  return headers;
}

// FlameGraph counts only the first event that it sees, leaves out a last sample that no blank line
// follows, and adds up periods where they are printed; gpuwhy keeps all samples, each as one.
Folded FoldLikeFlameGraph(const TraceDb& db, const std::string& file, Style style, bool has_tid) {
  const Headers headers = ReadHeaders(file);
  std::vector<Sample> samples = Samples(db);
  REQUIRE(samples.size() == headers.all.size());
  const bool is_last_left_out = !headers.ends_with_blank_line;
  Folded folded;
  for (size_t at = 0; at + (is_last_left_out ? 1 : 0) < samples.size(); ++at) {
    if (headers.all[at].event != headers.all[0].event) continue;
    folded[StackText(samples[at], style, has_tid)] += headers.all[at].period;
  }
  return folded;
}

int64_t Sum(const Folded& folded) {
  int64_t sum = 0;
  for (const auto& [stack, count] : folded)
    sum += count;
  return sum;
}

std::string Difference(const Folded& got, const Folded& expected) {
  std::string text;
  for (const auto& [stack, count] : got) {
    if (!expected.contains(stack) || expected.at(stack) != count)
      text += fmt::format("got      {} {}\n", stack, count);
  }
  for (const auto& [stack, count] : expected) {
    if (!got.contains(stack) || got.at(stack) != count)
      text += fmt::format("expected {} {}\n", stack, count);
  }
  return text.substr(0, 4000);
}

// "java-?/3245" and "iperf-27409/28744" -> "java/3245".
Folded WithoutPids(const Folded& folded) {
  static const std::regex pid(R"(^([^;]*)-(?:\?|\d+)/)");
  Folded out;
  for (const auto& [stack, count] : folded)
    out[std::regex_replace(stack, pid, "$1/")] += count;
  return out;
}

}  // namespace

TEST_CASE("perf: stacks fold to what FlameGraph published", "[perf]") {
  for (const std::string name :
       {"perf-cycles-instructions-01", "perf-dd-stacks-01", "perf-funcab-cmd-01",
        "perf-funcab-pid-01", "perf-iperf-stacks-pidtid-01", "perf-java-faults-01",
        "perf-java-stacks-01", "perf-java-stacks-02", "perf-js-stacks-01",
        "perf-mirageos-stacks-01", "perf-numa-stacks-01", "perf-rust-Yamakaky-dcpu",
        "perf-vertx-stacks-01"}) {
    const std::string file = "perf-script/flamegraph/" + name + ".txt";
    const std::string expected = "folded/flamegraph-expected/" + name + "-collapsed-";
    const TraceDb db = Import(file);
    INFO(name);
    const auto check = [&](std::string_view variant, const Folded& got, const Folded& published) {
      INFO(variant);
      CHECK(Sum(got) == Sum(published));
      CHECK(Difference(got, published) == "");
    };
    check("tid", FoldLikeFlameGraph(db, file, Style::kPlain, true),
          WithoutPids(ReadFolded(expected + "tid.txt")));
    check("addrs", FoldLikeFlameGraph(db, file, Style::kAddresses, false),
          ReadFolded(expected + "addrs.txt"));
    check("kernel", FoldLikeFlameGraph(db, file, Style::kKernel, false),
          ReadFolded(expected + "kernel.txt"));
    CHECK(LossCount(db, "perf_line_not_understood") == 0);
    CHECK(LossCount(db, "perf_frame_without_sample") == 0);
  }
}
