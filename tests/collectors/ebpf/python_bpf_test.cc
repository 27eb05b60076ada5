// SPDX-License-Identifier: Apache-2.0
// Python frames of real interpreters, walked in the real kernel: the hottest stack of each kind of
// code is exactly the chain of calls that the script makes, with files and lines.
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/collectors/ebpf/python_run.h"

namespace gpuwhy {
namespace {

// Each kind of code ends in spin, whose time is spent on one line.
constexpr std::string_view kKinds = R"(import threading, time
def spin():
    end = time.monotonic() + 0.4
    while time.monotonic() < end: pass
class Chain:
    def middle(self):
        spin()  # middle
    def run(self):
        self.middle()
def down(depth):
    if depth == 0: return spin()  # deepest
    down(depth - 1)  # deeper
def make():
    spin()  # make
    yield 1
def consume():
    next(make())
def iterate():
    for value in make(): pass
def comprehend():
    return [spin() for value in (1,)]
def anonymous():
    (lambda: spin())()
def by(value):
    return spin()  # by
def order():
    sorted([1], key=by)
def größe(): return spin()  # latin
def 数える(): return größe()  # japanese
def 𐎠𐎡(): return 数える()  # persian
def left(): return spin()  # left
def right(): return spin()  # right
Chain().run()
down(100)
consume()
iterate()
comprehend()
anonymous()
order()
𐎠𐎡()
threads = [threading.Thread(target=target) for target in (left, right)]
for thread in threads: thread.start()
for thread in threads: thread.join()
)";
const Script kScript{std::string(kKinds)};

std::string Frame(const std::string& function, const std::string& line_text) {
  return kScript.Frame(function, line_text);
}

std::string Spin() {
  return Frame("spin", "while time.monotonic()") + " < ";
}

RecordingSetup Sampling() {
  RecordingSetup setup;
  setup.options.probes.sample_hz = 199;
  return setup;
}

void CheckKinds(const std::map<std::string, int64_t>& stacks, bool inlines_comprehensions) {
  CHECK(HottestWith(stacks, "Chain.run") == Spin() + Frame("Chain.middle", "# middle") + " < " +
                                                Frame("Chain.run", "self.middle()") + " < " +
                                                Frame("<module>", "Chain().run()"));
  CHECK(HottestWith(stacks, "consume") == Spin() + Frame("make", "# make") + " < " +
                                              Frame("consume", "next(make())") + " < " +
                                              Frame("<module>", "consume()\niterate()"));
  CHECK(HottestWith(stacks, "iterate") == Spin() + Frame("make", "# make") + " < " +
                                              Frame("iterate", "for value in make()") + " < " +
                                              Frame("<module>", "iterate()\ncomprehend()"));
  const std::string listcomp =
      inlines_comprehensions ? std::string()
                             : Frame("comprehend.<locals>.<listcomp>", "return [spin()") + " < ";
  CHECK(HottestWith(stacks, "comprehend") == Spin() + listcomp +
                                                 Frame("comprehend", "return [spin()") + " < " +
                                                 Frame("<module>", "comprehend()\nanonymous()"));
  CHECK(HottestWith(stacks, "anonymous") ==
        Spin() + Frame("anonymous.<locals>.<lambda>", "(lambda: spin())") + " < " +
            Frame("anonymous", "(lambda: spin())") + " < " +
            Frame("<module>", "anonymous()\norder()"));
  CHECK(HottestWith(stacks, "order") == Spin() + Frame("by", "# by") + " < " +
                                            Frame("order", "sorted([1]") + " < " +
                                            Frame("<module>", "order()\n𐎠𐎡()"));
  CHECK(HottestWith(stacks, "größe") ==
        Spin() + Frame("größe", "# latin") + " < " + Frame("数える", "# japanese") + " < " +
            Frame("𐎠𐎡", "# persian") + " < " + Frame("<module>", "𐎠𐎡()\nthreads"));
}

void CheckRecursion(const RecordedRun& run, const std::map<std::string, int64_t>& stacks) {
  std::string deep = Spin() + Frame("down", "# deepest");
  for (int i = 0; i < GPUWHY_PYTHON_DEPTH - 2; ++i)
    deep += " < " + Frame("down", "# deeper");
  CHECK(HottestWith(stacks, "down") == deep);
  CHECK(run.Int("SELECT count(*) FROM loss WHERE name = 'ebpf_stack_truncated'") == 1);
}

// The threads take turns at the global lock, and each has its own frames.
void CheckThreads(const RecordedRun& run, const std::map<std::string, int64_t>& stacks) {
  CHECK(
      HottestWith(stacks, "left").starts_with(Spin() + Frame("left", "# left") + " < Thread.run:"));
  CHECK(HottestWith(stacks, "right")
            .starts_with(Spin() + Frame("right", "# right") + " < Thread.run:"));
  CHECK(run.Int("WITH RECURSIVE up(thread, site) AS ("
                "  SELECT DISTINCT thread_id, callsite_id FROM sample UNION"
                "  SELECT thread, parent_id FROM up JOIN callsite ON id = site"
                "    WHERE parent_id IS NOT NULL)"
                "SELECT count(*) FROM (SELECT thread FROM up JOIN callsite c ON c.id = site "
                "  JOIN frame f ON f.id = c.frame_id WHERE f.function_name IN ('left', 'right') "
                "  GROUP BY thread HAVING count(DISTINCT f.function_name) = 1)") == 2);
}

// A function whose table of lines is longer than what the kernel side copies.
Script LongScript() {
  std::string text = "import time\ndef long(value):\n    end = time.monotonic() + 0.4\n";
  for (int i = 0; i < 400; ++i)
    text += "    value = (value + 1) * 3 - value\n";
  return Script(text + "    while time.monotonic() < end: pass\nlong(1)\n");
}

}  // namespace

TEST_CASE("ebpf: each kind of Python code has its chain of calls, with exact lines", "[ebpf]") {
  const std::vector<Command> interpreters = Interpreters();
  if (interpreters.empty()) WARN("skipped: no python3 from 3.11 to 3.14 here");
  for (const Command& interpreter : interpreters) {
    const std::string version = VersionOf(interpreter);
    INFO(version);
    const RecordedRun run = RecordScript(interpreter, kScript, Sampling());
    const auto stacks = PythonStacks(run);

    CheckKinds(stacks, version.find("3.11") == std::string::npos);
    CheckRecursion(run, stacks);
    CheckThreads(run, stacks);
    CHECK(run.Int("SELECT count(*) FROM frame WHERE kind = 'python' "
                  "AND function_name = 'spin' AND file LIKE '%/script.py'") > 0);
  }
}

TEST_CASE("ebpf: a Python function with a long table of lines has exact lines", "[ebpf]") {
  const Script script = LongScript();
  for (const Command& interpreter : Interpreters()) {
    INFO(VersionOf(interpreter));
    const RecordedRun run = RecordScript(interpreter, script, Sampling());

    CHECK(HottestWith(PythonStacks(run), "long") ==
          script.Frame("long", "while time") + " < " + script.Frame("<module>", "long(1)\n"));
  }
}

TEST_CASE("ebpf: forks of a Python process have Python frames from the start", "[ebpf]") {
  const Script script(
      "import os, threading, time\ndef spin():\n    end = time.monotonic() + 0.1\n"
      "    while time.monotonic() < end: pass\nthreading.Event().wait(0.3)\n"
      "def work(): spin(); os._exit(0)\nfor i in range(5):\n    if os.fork() == 0: work()\n"
      "    os.wait()\n");
  for (const Command& interpreter : Interpreters()) {
    INFO(VersionOf(interpreter));
    const RecordedRun run = RecordScript(interpreter, script, Sampling());

    CHECK(run.Int("WITH RECURSIVE up(thread, site) AS ("
                  "  SELECT DISTINCT thread_id, callsite_id FROM sample UNION"
                  "  SELECT thread, parent_id FROM up JOIN callsite ON id = site"
                  "    WHERE parent_id IS NOT NULL)"
                  "SELECT count(DISTINCT thread) FROM up JOIN callsite c ON c.id = site "
                  "  JOIN frame f ON f.id = c.frame_id WHERE f.function_name = 'work'") == 5);
  }
}

TEST_CASE("ebpf: a GPU call shows the Python code that made it", "[ebpf]") {
  const TempDir dir;
  const std::string seen = dir.File("seen");
  const Script script("import ctypes, os, time\ncuda = ctypes.CDLL('" GPUWHY_SIMGPU_DIR
                      "/libcudart.so.12')\ndef wait_for_gpu():\n    cuda.cudaDeviceSynchronize()\n"
                      "end = time.monotonic() + 60\n"
                      "while time.monotonic() < end and not os.path.exists('" +
                      seen + "'): wait_for_gpu()\n");
  RecordingSetup setup;
  setup.is_recorded = [&](const TraceDb& db) {
    const auto count =
        db.QueryInt("SELECT count(*) FROM frame WHERE function_name = 'wait_for_gpu'");
    if (!count.ok() || count.value() == 0) return false;
    std::ofstream(seen) << "seen";
    return true;
  };
  setup.options.probes.stack_min_ns = 0;
  for (const Command& interpreter : Interpreters()) {
    if (interpreter.size() > 1) continue;  // in a container, without the library
    INFO(VersionOf(interpreter));
    std::filesystem::remove(seen);
    const RecordedRun run = RecordScript(interpreter, script, setup);
    const int64_t callsite = run.Int(
        "SELECT callsite_id FROM api_call JOIN name ON name.id = name_id "
        "WHERE text = 'cudaDeviceSynchronize' ORDER BY api_call.id DESC LIMIT 1");

    CHECK(PythonStackOf(run, callsite) == script.Frame("wait_for_gpu", "cuda.cudaDevice") + " < " +
                                              script.Frame("<module>", "while time"));
  }
}

}  // namespace gpuwhy
