// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <stop_token>

#include "tests/catch.h"
#include "tests/support/imported_text.h"

using gpuwhy::Gzip;
using gpuwhy::ImportedText;
using gpuwhy::ImportText;

namespace {

constexpr std::string_view kSpin =
    "spin 16613  3188.091180:   10101010 cpu-clock:ppp: \n"
    "\t            1147 main+0x1e (/path/spin)\n"
    "\t           2724a __libc_start_call_main+0x7a (/usr/lib/libc.so.6)\n"
    "\n";

// The stack of the only sample, innermost first: "kind function module; ...".
constexpr std::string_view kStackSql =
    "WITH RECURSIVE stack(depth, id, parent_id, frame_id) AS ("
    "  SELECT 0, c.id, c.parent_id, c.frame_id FROM callsite c"
    "    JOIN sample s ON s.callsite_id = c.id"
    "  UNION ALL SELECT depth + 1, c.id, c.parent_id, c.frame_id FROM callsite c"
    "    JOIN stack ON c.id = stack.parent_id) "
    "SELECT group_concat(kind || ' ' || function_name || ' ' || coalesce(module, file, '-'), '; ')"
    "  FROM (SELECT * FROM stack JOIN frame ON frame.id = frame_id ORDER BY depth)";

std::string OneSample(std::string_view header, std::string_view frames = "\t 1 f (/x)\n") {
  return fmt::format("{}\n{}\n", header, frames);
}

std::string StackOf(std::string_view frames) {
  return ImportText(OneSample("a 1 2.3: cycles: ", frames)).Text(kStackSql);
}

// "comm pid tid time" of the only sample.
std::string OwnerOf(std::string_view header) {
  return ImportText(OneSample(header))
      .Text(
          "SELECT t.name || '|' || p.name || '|' || pid || '|' || tid || '|' || time_ns "
          "FROM sample JOIN thread t ON t.id = thread_id JOIN process p ON p.id = process_id");
}

}  // namespace

TEST_CASE("perf script: a sample keeps its time, thread and stack", "[perf]") {
  const ImportedText trace = ImportText(kSpin);
  REQUIRE(trace.report.ok());
  CHECK(trace.report.value().importer == "perf_script");
  CHECK(trace.Text("SELECT kind FROM capture") == "perf");
  CHECK(trace.Int("SELECT clock_offset_ns IS NULL FROM capture") == 1);
  CHECK(trace.Int("SELECT time_ns FROM sample") == INT64_C(3188091180000));
  CHECK(trace.Int("SELECT weight_count FROM sample") == 1);
  CHECK(trace.Text(kStackSql) ==
        "native main /path/spin; native __libc_start_call_main /usr/lib/libc.so.6");
  CHECK(trace.Text("SELECT facts ->> '$.sample_event_counts' FROM capture") ==
        R"({"cpu-clock:ppp":1})");
  CHECK(trace.Loss("perf_own_clock") == 1);
  CHECK(trace.Loss("perf_period_not_stored") == 1);
  CHECK(trace.Int("SELECT count(*) FROM loss WHERE severity <> 'info'") == 0);
}

TEST_CASE("perf script: gzip and CRLF are read like plain text", "[perf]") {
  std::string crlf(kSpin);
  for (size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2)
    crlf.insert(at, "\r");
  for (const std::string& text : {Gzip(kSpin), crlf}) {
    const ImportedText trace = ImportText(text);
    CHECK(trace.Int("SELECT count(*) FROM sample") == 1);
    CHECK(trace.Int("SELECT count(*) FROM callsite") == 2);
  }
}

TEST_CASE("perf script: headers are read from the time backwards", "[perf]") {
  CHECK(OwnerOf("[ET_NET 0] 21332 [002] 186448.846888:    1008373 cycles:") ==
        "[ET_NET 0]|[ET_NET 0]|21332|21332|186448846888000");
  CHECK(OwnerOf("iperf 27409/28744 [000] 441995.133575: cpu-clock: ") ==
        "iperf|iperf|27409|28744|441995133575000");
  CHECK(OwnerOf("Web Content 12/13 [000] 1.000000001: 1 cycles:u:") ==
        "Web Content|Web Content|12|13|1000000001");
  CHECK(OwnerOf("kworker/0:1-eve 7 9.5: cycles:") ==
        "kworker/0:1-eve|kworker/0:1-eve|7|7|9500000000");
  CHECK(OwnerOf("Gecko\t25122 [007] 115539.936601:\t\t1000000 task-clock:u:") ==
        "Gecko|Gecko|25122|25122|115539936601000");
  CHECK(OwnerOf("a 1 2 3 [001] 5.0: cpu/event=0x3c,umask=0x0/:") == "a 1 2|a 1 2|3|3|5000000000");
  CHECK(OwnerOf(":-1 -1/-1 [000] 5.0: cycles:") == ":-1|:-1|-1|-1|5000000000");
}

TEST_CASE("perf script: samples without a time are kept at 0, and that is said", "[perf]") {
  CHECK(OwnerOf("java  3244 cpu-clock: ") == "java|java|3244|3244|0");
  CHECK(OwnerOf("GC Thread 7 3/44 [001] 1 cycles:") == "GC Thread 7|GC Thread 7|3|44|0");
  const ImportedText trace = ImportText(OneSample("java 19983 cycles:"));
  CHECK(trace.Loss("perf_sample_without_time") == 1);
  CHECK(trace.Loss("perf_own_clock") == 0);
}

TEST_CASE("perf script: a process is called like its main thread, a thread like at the sample",
          "[perf]") {
  const ImportedText trace =
      ImportText(OneSample("worker 5/6 1.0: cycles:") + OneSample("perf 5/5 2.0: cycles:") +
                 OneSample("dd 5/5 3.0: cycles:") + OneSample("worker 5/7 4.0: cycles:"));
  CHECK(trace.Int("SELECT count(*) FROM process") == 1);
  CHECK(trace.Text("SELECT name FROM process") == "dd");
  CHECK(trace.Text("SELECT group_concat(name || ' ' || tid, ', ') FROM (SELECT t.name, tid FROM "
                   "sample JOIN thread t ON t.id = thread_id ORDER BY time_ns)") ==
        "worker 6, perf 5, dd 5, worker 7");
}

TEST_CASE("perf script: kinds of frames", "[perf]") {
  CHECK(StackOf("\tffffffffa9d15abf vma_complete+0xcf ([kernel.kallsyms])\n") ==
        "kernel vma_complete [kernel.kallsyms]");
  CHECK(StackOf("\tffffffffc0a1 nv_poll ([nvidia])\n") == "kernel nv_poll [nvidia]");
  CHECK(StackOf("\tffffc0a1 nv_poll (/lib/modules/6.1/nvidia.ko.xz)\n") ==
        "kernel nv_poll /lib/modules/6.1/nvidia.ko.xz");
  CHECK(StackOf("\tffffffff81000000 [unknown] ([unknown])\n") == "kernel 0xffffffff81000000 -");
  CHECK(StackOf("\t7d18cf575c36 [unknown] ([vdso])\n") == "native 0x7d18cf575c36 [vdso]");
  CHECK(StackOf("\t643 _Z4betav (/w/x)\n") == "native beta() /w/x");
  CHECK(StackOf("\t7f1 py::Net.forward:/srv/net.py+0x5 (/tmp/perf-9.map)\n") ==
        "python Net.forward /srv/net.py");
  CHECK(StackOf("\t7f1 run(int, char**) (/memfd:jit (deleted))\n") ==
        "native run(int, char**) /memfd:jit (deleted)");
  CHECK(StackOf("7f7241fbe6d8 base(BasicType) const (/a/libjvm.so)\n") ==
        "native base(BasicType) const /a/libjvm.so");
  CHECK(StackOf("\t7f1e2215d058  (/lib/libc.so)\n") == "native 0x7f1e2215d058 /lib/libc.so");
  CHECK(StackOf("\t10 main\n\t20\n") == "native main -; native 0x20 -");
}

TEST_CASE("perf script: inlined frames belong to the module they were inlined into", "[perf]") {
  CHECK(StackOf("\t10 inner (inlined)\n\t10 outer (inlined)\n\t10 work+0x4 (/w/x)\n"
                "\t20 last (inlined)\n") ==
        "native inner /w/x; native outer /w/x; native work /w/x; native last -");
}

TEST_CASE("perf script: a sample and its only frame can share a line", "[perf]") {
  const ImportedText trace = ImportText(
      "  spin 1 5.1:   10 cpu-clock:ppp:      1147 main+0x1e (/path/spin)\n"
      "  spin 1 5.2:   10 cpu-clock:ppp:      1148 main+0x1f (/path/spin)\n");
  CHECK(trace.Int("SELECT count(*) FROM sample") == 2);
  CHECK(trace.Int("SELECT count(*) FROM frame") == 1);
  CHECK(trace.Loss("perf_last_sample_open") == 0);
  CHECK(trace.Loss("perf_line_not_understood") == 0);
}

TEST_CASE("perf script: tracepoints are kept when they have a stack", "[perf]") {
  const std::string header =
      "python 7 [001] 5.1: sched:sched_switch: prev_comm=python prev_pid=7 ==> next_comm=a 1.0: b";
  CHECK(ImportText(OneSample(header)).Int("SELECT count(*) FROM sample") == 1);
  const ImportedText bare = ImportText(header + "\n" + header + "\n");
  REQUIRE(bare.report.ok());
  CHECK(bare.Loss("perf_tracepoint_without_stack") == 2);
  CHECK(bare.Int("SELECT count(*) FROM sample") == 0);
  CHECK(bare.Int("SELECT count(*) FROM thread") == 0);
}

TEST_CASE("perf script: branches of a hardware trace are counted, not kept", "[perf]") {
  const ImportedText trace = ImportText(
      " instruction trace error type 1 time 25738.668927182 cpu 10 pid 1 tid 1 ip 0x0 code 6: no\n"
      "  :16 16/16 [010] 25738.668928:   call     do_syscall_64   ffffffff81a0006c e+0x5c ([k])\n"
      "  s 16/16 [010] 25738.66:   tr strt                        0 [unknown] ([unknown])\n"
      "  s 16/16 [010] 25738.66:  1  branches:   7f01 f+0x1 (/x) =>   7f02 g+0x0 (/x)\n");
  REQUIRE(trace.report.ok());
  CHECK(trace.Loss("perf_branch_not_stored") == 3);
  CHECK(trace.Loss("perf_trace_error") == 1);
  CHECK(trace.Int("SELECT count(*) FROM sample") == 0);
}

TEST_CASE("perf script: several events are kept apart in the facts, and said", "[perf]") {
  const ImportedText trace =
      ImportText(OneSample("a 1 1.0: cycles: ") + OneSample("a 1 1.0: instructions: ") +
                 OneSample("a 1 2.0: cycles: "));
  CHECK(trace.Int("SELECT count(*) FROM sample") == 3);
  CHECK(trace.Loss("perf_several_events") == 2);
  CHECK(trace.Text("SELECT facts ->> '$.sample_event_counts' FROM capture") ==
        R"({"cycles":2,"instructions":1})");
}

TEST_CASE("perf script: the header says where it was recorded", "[perf]") {
  const ImportedText trace = ImportText(
      "# ========\n# captured on: Wed Aug 15 16:01:24 2018\n# hostname : e2b5\n"
      "# perf version : 4.15.18\n# nrcpus online : 4\n# total memory : 2046644 kB\n#\n" +
      std::string(kSpin));
  CHECK(trace.Text("SELECT host || '|' || tool_version || '|' || cpu_count || '|' || memory_bytes "
                   "FROM capture") == "e2b5|perf 4.15.18|4|2095763456");
}

TEST_CASE("perf script: what is not understood is counted", "[perf]") {
  const ImportedText trace = ImportText(
      std::string(kSpin) +
      "\t 1 orphan (/x)\n\nwhat is this\n\na 1 1.0: cycles: \n\t 1 f (/x)\n  file.c:12\n\n"
      "a 1 1.0: cycles: \n\nb 1 2.0: cycles:\n\t 1 f (/x)\n");
  CHECK(trace.Loss("perf_frame_without_sample") == 1);
  CHECK(trace.Loss("perf_line_not_understood") == 1);
  CHECK(trace.Loss("perf_source_line_not_stored") == 1);
  CHECK(trace.Loss("perf_sample_without_stack") == 1);
  CHECK(trace.Loss("perf_last_sample_open") == 1);
  CHECK(trace.Int("SELECT count(*) FROM sample") == 3);
}

TEST_CASE("perf script: hostile text is bounded and cleaned", "[perf]") {
  std::string deep = std::string(kSpin) + "a 1 1.0: cycles: \n";
  for (int frame = 0; frame < 5000; ++frame)
    deep += "\t 1 f (/x)\n";
  CHECK(ImportText(deep).Loss("perf_stack_cut") == 5000 - 4096);

  const std::string long_line(3 << 20, 'x');
  const ImportedText trace =
      ImportText(std::string(kSpin) + long_line + "\n" + OneSample("a\x1b[31m\xff 1 2.3: cycles:"));
  CHECK(trace.Loss("perf_line_too_long") == 1);
  CHECK(trace.Int("SELECT count(*) FROM sample") == 2);
  CHECK(trace.Text("SELECT name FROM thread WHERE tid = 1") == "a\uFFFD[31m\uFFFD");
}

TEST_CASE("perf script: numbers out of range are no numbers", "[perf]") {
  const ImportedText trace = ImportText(std::string(kSpin) +
                                        "a 99999999999999999999 1.0: cycles: \n"
                                        "a 1 99999999999999999999.0: cycles: \n"
                                        "a 1 1.0000000001: cycles: \n"
                                        "\t fffffffffffffffff f (/x)\n");
  CHECK(trace.Loss("perf_line_not_understood") == 4);
}

TEST_CASE("perf script: a damaged gzip keeps what was before the damage", "[perf]") {
  std::string text;
  for (int sample = 0; sample < 50000; ++sample)
    text += OneSample(fmt::format("a {} {}.0: cycles:", sample * 7919 % 65536, sample));
  std::string gzip = Gzip(text);
  gzip.resize(gzip.size() / 2);
  const ImportedText trace = ImportText(gzip);
  CHECK(trace.Loss("perf_file_damaged") == 1);
  CHECK(trace.Int("SELECT count(*) FROM sample") > 1000);
}

TEST_CASE("perf script: an import can be stopped, and reports its progress", "[perf]") {
  std::string text;
  for (int sample = 0; sample < 2000; ++sample)
    text += kSpin;
  std::stop_source stop;
  uint64_t done_bytes = 0;
  const ImportedText trace = ImportText(
      text, "perf.txt", {.stop = stop.get_token(), .progress = [&](uint64_t done, uint64_t total) {
                           done_bytes = done;
                           CHECK(total == text.size());
                           stop.request_stop();
                         }});
  REQUIRE_FALSE(trace.report.ok());
  CHECK(trace.report.error().code == gpuwhy::ErrorCode::kCancelled);
  CHECK(done_bytes > 0);
}

TEST_CASE("perf script: other files are not taken for it", "[perf]") {
  for (const std::string_view text : {
           "2024-01-01 12:00:00 worker 12: started\nnext line\n",
           "worker 12 13.5: info: something happened\n",
           "worker 12 13.5: info:\nsomething happened\n",
           "[   12.345678] usb 1-1: new device\n[   12.4] usb: gone\n",
           "bash-1977  [000] 17284.993652: sys_close: 0x1\n",
           "name,pid 12,1.5: x:\n",
           "Time 12 cycles: 5\n",
           "# only a comment\n",
           "\n\n",
       }) {
    const ImportedText trace = ImportText(text);
    INFO(text);
    REQUIRE_FALSE(trace.report.ok());
    CHECK(trace.report.error().message.find("in no format") != std::string::npos);
  }
}
