// SPDX-License-Identifier: Apache-2.0
// import_bench [megabytes]: imports a generated trace of that size (default 300) into a database
// file and prints the rate beside two floors in the same run: plain simdjson over the file in
// memory, and our reader without the database.
//
// The trace has the mix of a PyTorch training step with record_shapes, with_stack and
// profile_memory: per kernel one operator with shapes, one Python frame, one launch, one kernel and
// two arrows; per two kernels one allocator event. About 300 bytes an event.
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "collectors/import_file.h"
#include "collectors/kineto/batch_reader.h"
#include "tests/support/temp_dir.h"

namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

constexpr std::array<std::string_view, 4> kOperators = {
    "aten::linear", "aten::layer_norm", "aten::_scaled_dot_product_attention", "aten::gelu"};
constexpr std::array<std::string_view, 4> kKernels = {
    "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
    "float>(int, "
    "float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*)",
    "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4>>("
    "pytorch_flash::Flash_fwd_params)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>(int)"};

// The events around kernel number `i`; times in ns after the base time.
std::string Events(int64_t i) {
  const int64_t ns = 1'000'000 + i * 12'345;
  const auto us = [](int64_t time_ns) {
    return fmt::format("{}.{:03}", time_ns / 1000, time_ns % 1000);
  };
  const size_t kind = static_cast<size_t>(i) % kOperators.size();
  const int64_t correlation = 1000 + i;
  std::string out = fmt::format(
      R"(,
  {{
    "ph": "X", "cat": "cpu_op", "name": "{}", "pid": 4242, "tid": 4242,
    "ts": {}, "dur": {},
    "args": {{
      "External id": {},"Record function id": {}, "Concrete Inputs": ["", "", "", "0.0", "False"], "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"], "Input Strides": [[2097152, 1024, 1], [1024, 1], [1], [], []], "Input Dims": [[8, 2048, 1024], [4096, 1024], [4096], [], []], "Ev Idx": {}
    }}
  }},
  {{
    "ph": "X", "cat": "python_function", "name": "torch/nn/modules/module.py(1750): _wrapped_call_impl", "pid": 4242, "tid": 4242,
    "ts": {}, "dur": {},
    "args": {{
      "Python parent id": {}, "Python id": {}, "Ev Idx": {}
    }}
  }})",
      kOperators.at(kind), us(ns), us(9'500), i, i, i, us(ns + 100), us(9'000), i, i + 1, i);
  out += fmt::format(
      R"(,
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 4242,
    "ts": {}, "dur": {},
    "args": {{
      "External id": {}, "cbid": 211, "correlation": {}
    }}
  }},
  {{
    "ph": "s", "id": {}, "pid": 4242, "tid": 4242, "ts": {},
    "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "{}", "pid": 0, "tid": 7,
    "ts": {}, "dur": {},
    "args": {{
      "External id": {},
      "queued": 0, "device": 0, "context": 1,
      "stream": 7, "correlation": {},
      "registers per thread": 168,
      "shared memory": 81920,
      "blocks per SM": 9.846154,
      "warps per SM": 39.384615,
      "grid": [8, 16, 8],
      "block": [128, 1, 1],
      "est. achieved occupancy %": 17
    }}
  }},
  {{
    "ph": "f", "id": {}, "pid": 0, "tid": 7, "ts": {},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }})",
      us(ns + 2'000), us(3'217), i, correlation, correlation, us(ns + 2'000), kKernels.at(kind),
      us(ns + 20'000), us(10'112), i, correlation, correlation, us(ns + 20'000));
  if (i % 2 == 0) {
    out += fmt::format(
        R"(,
  {{
    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",
    "pid": 4242, "tid": 4242,
    "ts": {},
    "args": {{
      "Total Reserved": 23622320128, "Total Allocated": {}, "Bytes": 16777216, "Addr": 140230918569984, "Device Id": 0, "Device Type": 1, "Ev Idx": {}
    }}
  }})",
        us(ns + 500), 1'000'000'000 + i % 100 * 16'777'216, i);
  }
  return out;
}

struct Generated {
  int64_t size_bytes = 0;
  int64_t event_count = 0;
};

Generated Generate(const std::string& path, int64_t size_bytes) {
  std::ofstream file(path, std::ios::binary);
  std::string text = R"({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85029158912, "computeMajor": 9, "computeMinor": 0, "numSms": 132}],
  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1727743122000000000,
  "traceEvents": [
  {
    "name": "process_name", "ph": "M", "ts": 1000.000, "pid": 4242, "tid": 0,
    "args": {
      "name": "python"
    }
  })";
  Generated made{.event_count = 1};
  for (int64_t i = 0; made.size_bytes < size_bytes; ++i) {
    text += Events(i);
    made.event_count += 6 + (i % 2 == 0 ? 1 : 0);
    if (text.size() < (1U << 20U) &&
        made.size_bytes + static_cast<int64_t>(text.size()) < size_bytes) {
      continue;
    }
    file << text;
    made.size_bytes += static_cast<int64_t>(text.size());
    text.clear();
  }
  file << "\n  ],\n  \"traceName\": \"bench\"\n}\n";
  return made;
}

// Everything simdjson does for a program that looks at the phase of each event.
double SimdjsonSeconds(const std::string& path) {
  const auto start = Clock::now();
  const simdjson::padded_string text = simdjson::padded_string::load(path).value();
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document = parser.iterate(text);
  int64_t count = 0;
  for (auto event : document["traceEvents"].get_array()) {
    count += event["ph"].get_string().error() == simdjson::SUCCESS ? 1 : 0;
  }
  std::printf("  simdjson saw %lld events\n", static_cast<long long>(count));
  return SecondsSince(start);
}

double ReaderSeconds(const std::string& path) {
  const auto start = Clock::now();
  auto source = gpuwhy::kineto::ByteSource::Open(path, false);
  if (!source.ok()) return 0;
  gpuwhy::kineto::EventStream stream(std::move(source).value(), 512 << 10);
  if (!stream.Open().ok()) return 0;
  gpuwhy::kineto::BatchReader reader(stream);
  for (gpuwhy::kineto::Batch batch; reader.Read(batch); batch.Clear()) {
  }
  return SecondsSince(start);
}

int Run(int64_t megabytes) {
  const gpuwhy::TempDir dir;
  const std::string trace = dir.File("trace.json");
  const Generated made = Generate(trace, megabytes * 1'000'000);
  const double size_mb = static_cast<double>(made.size_bytes) / 1e6;
  std::printf("trace: %.0f MB, %lld events, %.0f bytes each\n", size_mb,
              static_cast<long long>(made.event_count),
              static_cast<double>(made.size_bytes) / static_cast<double>(made.event_count));

  const double before_mb = PeakMegabytes();
  auto db = gpuwhy::TraceDb::OpenForWriting(dir.File("trace.db"));
  if (!db.ok()) return 1;
  const auto start = Clock::now();
  const double cpu_before = CpuSeconds();
  const auto report = gpuwhy::ImportFile(db.value(), trace, {});
  const double seconds = SecondsSince(start);
  const double cpu_seconds = CpuSeconds() - cpu_before;
  if (!report.ok()) {
    std::printf("%s\n", report.error().message.c_str());
    return 1;
  }
  const double peak_mb = PeakMegabytes();
  const int64_t rows =
      db.value()
          .QueryInt(
              "SELECT (SELECT count(*) FROM api_call) + (SELECT count(*) FROM gpu_op) + "
              "(SELECT count(*) FROM range) + (SELECT count(*) FROM counter_value)")
          .value();
  std::ifstream written(dir.File("trace.db"), std::ios::ate | std::ios::binary);
  std::printf(
      "import: %.2f s, %.0f MB/s, %.2f CPU s (%.0f MB/s per core), %.2f M rows/s, "
      "%lld rows, database %.0f MB\n",
      seconds, size_mb / seconds, cpu_seconds, size_mb / cpu_seconds,
      static_cast<double>(rows) / seconds / 1e6, static_cast<long long>(rows),
      static_cast<double>(written.tellg()) / 1e6);
  std::printf("peak memory: %.0f MB (%.0f MB before), %.3f bytes per byte of input\n", peak_mb,
              before_mb, (peak_mb - before_mb) / size_mb);
  const double reader_seconds = ReaderSeconds(trace);
  const double simdjson_seconds = SimdjsonSeconds(trace);
  std::printf("reader alone: %.2f s, %.0f MB/s; the import takes %.1f times as long\n",
              reader_seconds, size_mb / reader_seconds, seconds / reader_seconds);
  std::printf("plain simdjson: %.2f s, %.0f MB/s; the import takes %.1f times as long\n",
              simdjson_seconds, size_mb / simdjson_seconds, seconds / simdjson_seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return Run(argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 300);
}
