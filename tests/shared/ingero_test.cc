// SPDX-License-Identifier: Apache-2.0
// Real Ingero recordings. Every expected number was computed from the files themselves with SQL,
// not with this program.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "collectors/import_file.h"
#include "collectors/sha256.h"
#include "tests/catch.h"
#include "tests/support/imported.h"
#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"

using namespace gpuwhy;
using Lines = std::vector<std::string>;

namespace {

constexpr const char* kDataloader = "ingero-db/pytorch-dataloader-starvation.db";
constexpr const char* kEmptyCache = "ingero-db/pytorch-173382-empty-cache.db";
constexpr const char* kNode01 = "ingero-db/sample-gpu-node-01.db";
constexpr const char* kNode02 = "ingero-db/sample-gpu-node-02.db";

TraceDb Open(const std::string& name) {
  auto db = Imported(SharedData(name));
  REQUIRE(db.ok());
  return std::move(db).value();
}

// "name|count|sum|min|max|p50|p95|p99" in ns.
Lines Statistics(const TraceDb& db, const std::string& table) {
  return Rows(db,
              "SELECT name, count(*), sum(duration_ns), min(duration_ns), max(duration_ns), "
              "p50(duration_ns), p95(duration_ns), p99(duration_ns) FROM " +
                  table + " GROUP BY name ORDER BY name");
}

}  // namespace

TEST_CASE("ingero dataloader: the capture says which machine and which Ingero", "[shared]") {
  const TraceDb db = Open(kDataloader);

  CHECK(OneRow(db,
               "SELECT kind, cpu_count, memory_bytes, is_selective, tool_version, start_ns, "
               "end_ns - start_ns, sha256 FROM capture") ==
        "ingero|4|16765681664|1|ingero 0.8 (7015028)|1774015573210657601|76938676255|"
        "835fd2ebdca65f2db5b1af84752836e6148308089b684b9e304bc14927479f4e");
  CHECK(OneRow(db,
               "SELECT json_extract(facts, '$.driver'), json_extract(facts, '$.cuda'), "
               "json_extract(facts, '$.python'), json_extract(facts, '$.kernel'), "
               "json_extract(facts, '$.id_type') FROM capture") ==
        "570.211.01|12.8|3.10.12|5.15.0-173-generic|integer");
  CHECK(OneRow(db, "SELECT name, memory_bytes FROM gpu") == "NVIDIA GeForce RTX 4090|25757220864");
  CHECK(Rows(db, "SELECT name, event_count FROM loss ORDER BY name") ==
        Lines{"ingero_first_cpu_sample|1", "ingero_rows_missing|37",
              "ingero_schedstat_not_converted|217", "ingero_selective_storage|1619689",
              "ingero_thread_assumed|5"});
}

TEST_CASE("ingero dataloader: statistics of the rows equal those of the file", "[shared]") {
  const TraceDb db = Open(kDataloader);

  CHECK(Statistics(db, "api_calls") ==
        Lines{"cuCtxSynchronize|3|51536638|9182419|21449910|20904309|21449910|21449910",
              "cuLaunchKernel|41|1625062|24863|293892|27098|90514|293892",
              "cuMemAlloc|10|3065748|23188|714336|199187|714336|714336",
              "cudaDeviceSync|3|51702862|9232985|21500754|20969123|21500754|21500754",
              "cudaLaunchKernel|16|26987203|63416|25799899|73194|25799899|25799899",
              "cudaMalloc|7|3231973|229638|765181|472685|765181|765181",
              "cudaMemcpyAsync|14|441155025|24025|65000369|34810531|65000369|65000369",
              "cudaStreamSync|21|653155|17320|93587|27657|41346|93587"});
  CHECK(Statistics(db, "(SELECT reason AS name, duration_ns FROM off_cpu)") ==
        Lines{"unknown|3676|1473425940|12572|23871386|25701|5087503|5142538"});
  CHECK(Rows(db, "SELECT kind, count(*) FROM host_event GROUP BY kind ORDER BY kind") ==
        Lines{"fork|11", "thread_exit|5"});
  CHECK(OneRow(db,
               "SELECT (SELECT count(*) FROM api_call) + (SELECT count(*) FROM off_cpu) + (SELECT "
               "count(*) FROM host_event), (SELECT sum(stored_count) FROM latency), (SELECT "
               "sum(event_count) FROM latency)") == "3807|3807|1623496");
}

TEST_CASE("ingero dataloader: driver calls hang below the runtime calls that made them",
          "[shared]") {
  const TraceDb db = Open(kDataloader);

  CHECK(
      Rows(db,
           "SELECT c.name, p.name, count(*) FROM api_calls c JOIN api_calls p ON p.id = "
           "c.parent_id WHERE p.start_ns <= c.start_ns AND p.end_ns >= c.end_ns AND p.tid = c.tid "
           "GROUP BY 1, 2 ORDER BY 1") == Lines{"cuCtxSynchronize|cudaDeviceSync|3",
                                                "cuLaunchKernel|cudaLaunchKernel|16",
                                                "cuMemAlloc|cudaMalloc|7"});
}

TEST_CASE("ingero dataloader: per process and thread, counted and not only stored", "[shared]") {
  const TraceDb db = Open(kDataloader);

  CHECK(
      Rows(
          db,
          "SELECT pid, tid, sum(event_count), sum(sum_ns), max(max_ns) FROM latencies WHERE source "
          "= 'off_cpu' GROUP BY pid, tid ORDER BY tid") ==
      Lines{"429|429|2|354745455|250657667", "2233|2233|3713|1474562113|23871386",
            "2254|2254|53526|5399679122|1059842972", "2255|2255|45281|4330135680|31014738",
            "2256|2256|40292|3811084305|35991332", "2257|2257|29956|7406656565|5000057924",
            "2233|2258|18093|7299610630|5003853397", "2233|2259|512|2144121703|12859690",
            "2233|2260|213|18414609772|18124174699", "2233|2262|247|130409137|9384959"});
  CHECK(
      Rows(db,
           "SELECT pid, sum(event_count), sum(sum_bytes) FROM latencies WHERE name = 'page_alloc' "
           "GROUP BY pid ORDER BY pid") == Lines{"429|10|40960", "2233|1173407|4806926336",
                                                 "2254|77792|318881792", "2255|71226|291950592",
                                                 "2256|59036|241922048", "2257|49110|201289728"});
  CHECK(
      Rows(db,
           "SELECT name, sum(event_count), sum(sum_ns), max(max_ns), sum(sum_bytes) FROM latencies "
           "WHERE source = 'api_call' GROUP BY name ORDER BY name") ==
      Lines{"cuCtxSynchronize|3|51536638|21449910|0", "cuLaunchKernel|75|2633845|293892|0",
            "cuMemAlloc|10|3065748|714336|6895567872", "cudaDeviceSync|3|51702862|21500754|0",
            "cudaLaunchKernel|30|28029230|25799899|0", "cudaMalloc|7|3231973|765181|6887047168",
            "cudaMemcpyAsync|21|665589021|65000369|6020708392",
            "cudaStreamSync|21|653155|93587|0"});
}

TEST_CASE("ingero dataloader: workers are children, their helpers are threads", "[shared]") {
  const TraceDb db = Open(kDataloader);

  CHECK(Rows(db,
             "SELECT p.pid, p.name, q.pid, (p.start_ns - c.start_ns) / 1000000 FROM process p JOIN "
             "process q ON q.id = p.parent_id, capture c ORDER BY p.pid") ==
        Lines{"2254|python3|2233|50336", "2255|pt_data_worker|2233|50415",
              "2256|pt_data_worker|2233|50491", "2257|pt_data_worker|2233|50562"});
  CHECK(
      Rows(db,
           "SELECT t.tid, t.name, p.name FROM thread t JOIN process p ON p.id = t.process_id WHERE "
           "p.pid = 2233 AND t.start_ns IS NOT NULL ORDER BY t.tid") ==
      Lines{"2258|pt_data_pin|python3", "2259|python3|python3", "2260|python3|python3",
            "2262|python3|python3"});
  CHECK(OneRow(db, "SELECT count(*) FROM process WHERE pid BETWEEN 2258 AND 2262") == "0");
}

TEST_CASE("ingero dataloader: recorded chains are kept as Ingero's", "[shared]") {
  const TraceDb db = Open(kDataloader);

  CHECK(
      Rows(
          db,
          "SELECT operation, severity, count(*), max(p99_ns), min(p50_ns), max(p50_ns), "
          "min(tail_ratio), max(tail_ratio) FROM foreign_finding WHERE tool = 'ingero' GROUP BY 1, "
          "2 ORDER BY 1, 2") == Lines{"cuLaunchKernel|HIGH|30|293000|26000|27000|10.8|11.0",
                                      "cuLaunchKernel|MEDIUM|49|293000|26000|27000|10.8|11.0",
                                      "cuMemAlloc|HIGH|30|714000|198000|198000|3.6|3.6",
                                      "cuMemAlloc|MEDIUM|49|714000|198000|198000|3.6|3.6",
                                      "cudaLaunchKernel|HIGH|30|25799000|72000|73000|352.5|356.6",
                                      "cudaLaunchKernel|MEDIUM|49|25799000|72000|73000|352.5|356.6",
                                      "cudaStreamSync|HIGH|30|93000|26000|27000|3.4|3.5",
                                      "cudaStreamSync|MEDIUM|49|93000|26000|27000|3.4|3.5"});
}

TEST_CASE("ingero dataloader: no CUDA call for 99.1 % of the time, in eight gaps", "[shared]") {
  const TraceDb db = Open(kDataloader);
  REQUIRE(
      db.Execute("CREATE TEMP VIEW gap AS WITH call AS (SELECT start_ns, start_ns + duration_ns "
                 "AS end_ns FROM api_call UNION ALL SELECT end_ns, end_ns FROM capture), reached "
                 "AS (SELECT start_ns, lag(end_ns) OVER (ORDER BY start_ns) AS previous_ns FROM "
                 "call) SELECT previous_ns - (SELECT start_ns FROM capture) AS start_ns, start_ns "
                 "- previous_ns AS duration_ns FROM reached WHERE start_ns - previous_ns > "
                 "100000000")
          .ok());

  CHECK(Rows(db,
             "SELECT round(start_ns / 1e9, 3), round(duration_ns / 1e9, 3) FROM gap ORDER BY "
             "start_ns") == Lines{"0.641|12.406", "13.047|6.365", "19.412|6.181", "25.594|6.203",
                                  "31.796|6.26", "38.056|6.638", "44.694|5.529", "50.243|26.696"});
  CHECK(
      OneRow(db,
             "SELECT round(100.0 * sum(duration_ns) / (SELECT end_ns - start_ns FROM capture), 1) "
             "FROM gap") == "99.1");
}

TEST_CASE("ingero dataloader: machine load and stacks are there", "[shared]") {
  const TraceDb db = Open(kDataloader);

  CHECK(Rows(db,
             "SELECT c.name, c.unit, count(*), round(max(v.value), 1) FROM counter c JOIN "
             "counter_value v ON v.counter_id = c.id GROUP BY c.id ORDER BY c.name") ==
        Lines{"system.cpu_pct|pct|39|100.0", "system.load_avg|count|40|4.1",
              "system.mem_available_bytes|bytes|40|15917383680.0",
              "system.mem_used_pct|pct|40|65.6", "system.swap_used_bytes|bytes|40|0.0"});
  CHECK(OneRow(db,
               "SELECT f.function_name, f.module FROM api_calls a JOIN callsite s ON s.id = "
               "a.callsite_id JOIN frame f ON f.id = s.frame_id WHERE f.function_name LIKE "
               "'at::native::copy_kernel_cuda%' LIMIT 1") ==
        "at::native::copy_kernel_cuda(at::TensorIterator&, bool)|libtorch_cuda.so");
  CHECK(OneRow(db, "SELECT count(*) FROM frame WHERE function_name LIKE '%+0x%'") == "0");
}

TEST_CASE("ingero 173382: statistics of the rows equal those of the file", "[shared]") {
  const TraceDb db = Open(kEmptyCache);

  CHECK(Statistics(db, "api_calls") ==
        Lines{"cuLaunchKernel|1520|17223071|3790|5453549|5220|19490|28441",
              "cuMemAlloc|49|9377245|6140|306581|207767|261110|306581",
              "cudaFree|40|20154287|393763|1904932|415893|1046065|1904932",
              "cudaLaunchKernel|915|364859854|6290|68814310|16152|98514|11552580",
              "cudaMalloc|45|9494393|101214|348903|224308|261010|348903",
              "cudaMemcpyAsync|310|106028582|4150|31292901|26941|914813|985125",
              "cudaStreamSync|405|2581242|1710|27531|3220|14971|22201"});
  CHECK(Statistics(db, "(SELECT reason AS name, duration_ns FROM off_cpu)") ==
        Lines{"unknown|116|4773608157|2710|4061087260|14361|42787465|95128144"});
  CHECK(
      Rows(db, "SELECT tid, count(*), sum(duration_ns) FROM off_cpus GROUP BY tid ORDER BY tid") ==
      Lines{"664|1|100653", "779|9|4262141460", "30581|83|210532174", "30591|9|42201",
            "30592|14|300791669"});
  CHECK(OneRow(db, "SELECT count(*) FROM api_call WHERE parent_id IS NOT NULL") == "725");
  CHECK(OneRow(db, "SELECT count(*) FROM api_call WHERE callsite_id IS NOT NULL") == "3284");
}

TEST_CASE("ingero 173382: the copy tail is copy size", "[shared]") {
  const TraceDb db = Open(kEmptyCache);

  CHECK(Rows(db,
             "SELECT CASE WHEN bytes < 10240 THEN 0 WHEN bytes < 1000000 THEN 1 WHEN bytes < "
             "10000000 THEN 2 ELSE 3 END, copy_kind, count(*), sum(duration_ns), max(duration_ns), "
             "sum(bytes) FROM api_calls WHERE name = 'cudaMemcpyAsync' GROUP BY 1, 2") ==
        Lines{"0|D2D|5|76280|25261|633", "0|D2H|4|48324|14361|4", "0|H2D|127|859055|48831|143864",
              "1|D2D|5|168416|36693|1367424", "1|H2D|48|1368448|50992|11010048",
              "2|H2D|120|72215158|1038537|704643072", "3|H2D|1|31292901|31292901|272269312"});
  CHECK(
      OneRow(db,
             "WITH d AS (SELECT CAST(bytes AS REAL) x, CAST(duration_ns AS REAL) y FROM api_calls "
             "WHERE name = 'cudaMemcpyAsync' AND copy_kind = 'H2D'), m AS (SELECT count(*) n, "
             "avg(x) mx, avg(y) my FROM d) SELECT n, round(sum((x - mx) * (y - my)) / "
             "sqrt(sum((x - mx) * (x - mx)) * sum((y - my) * (y - my))), 5) FROM d, m") ==
      "296|0.99963");
}

TEST_CASE("ingero 173382: memory is freed only at the end, launches are slow only when cold",
          "[shared]") {
  const TraceDb db = Open(kEmptyCache);
  // The first recorded instant is the end of a socket call that began 82 ms before.
  const std::string t0 = "1774360124688205635";

  CHECK(Rows(db,
             "SELECT name, count(*), min(start_ns) - " + t0 + ", max(start_ns) - " + t0 +
                 ", sum(bytes) FROM api_calls WHERE name IN ('cudaMalloc', 'cudaFree') GROUP BY "
                 "name ORDER BY name") == Lines{"cudaFree|40|27338442314|27357155599|",
                                                "cudaMalloc|45|8300174027|8716703550|1063256064"});
  CHECK(OneRow(db, "SELECT count(*), min(start_ns) - " + t0 + ", max(start_ns) - " + t0 +
                       ", max(duration_ns) FROM api_calls WHERE name = 'cudaLaunchKernel' AND "
                       "duration_ns > 1000000") == "29|8464304687|9015931386|68814310");
}

TEST_CASE("ingero 173382: damaged aggregates are said to be so and bounded by the rows",
          "[shared]") {
  const TraceDb db = Open(kEmptyCache);

  CHECK(LossCount(db, "ingero_aggregates_inconsistent") == 8);
  CHECK(OneRow(db, "SELECT severity FROM loss WHERE name = 'ingero_aggregates_inconsistent'") ==
        "repaired");
  CHECK(OneRow(db,
               "SELECT json_extract(facts, '$.aggregate_event_count'), json_extract(facts, "
               "'$.aggregate_stored_count') FROM capture") == "64410|451");
  CHECK(
      Rows(db,
           "SELECT name, event_count, stored_count, sum_ns FROM latencies WHERE bucket_ns = "
           "1774360080000000000 AND pid = 30581 AND name IN ('cudaLaunchKernel', 'cudaStreamSync', "
           "'cudaMemcpyAsync', 'cuLaunchKernel') ORDER BY name") ==
      Lines{"cuLaunchKernel|2265|1370|14275817", "cudaLaunchKernel|1910|906|379758274",
            "cudaMemcpyAsync|331|304|106063335", "cudaStreamSync|355|355|2385519"});
  CHECK(OneRow(db, "SELECT count(*) FROM latency WHERE stored_count > event_count") == "0");
}

TEST_CASE("ingero 173382: Python frames lie outside the native ones", "[shared]") {
  const TraceDb db = Open(kEmptyCache);

  const auto stack = Rows(
      db,
      "WITH RECURSIVE up(depth, parent_id, frame_id) AS (SELECT 0, s.parent_id, s.frame_id FROM "
      "api_calls a JOIN callsite s ON s.id = a.callsite_id WHERE a.id = (SELECT min(id) FROM "
      "api_calls WHERE name = 'cudaMalloc' AND callsite_id IS NOT NULL) UNION ALL SELECT depth + "
      "1, "
      "s.parent_id, s.frame_id FROM up JOIN callsite s ON s.id = up.parent_id) SELECT f.kind, "
      "f.function_name FROM up JOIN frame f ON f.id = up.frame_id ORDER BY depth");

  REQUIRE(stack.size() > 3);
  CHECK(stack.front().starts_with("native|c10::cuda::CUDACachingAllocator"));
  CHECK(stack.back() == "python|<module>");
  const auto first_python =
      std::find_if(stack.begin(), stack.end(), [](auto& f) { return f.starts_with("python"); });
  CHECK(std::all_of(first_python, stack.end(), [](auto& f) { return f.starts_with("python"); }));
}

TEST_CASE("ingero node-01: each switch is a disk read", "[shared]") {
  const TraceDb db = Open(kNode01);

  CHECK(OneRow(db, "SELECT host, tool_version, json_extract(facts, '$.id_type') FROM capture") ==
        "gpu-node-01|ingero 0.9 (dev)|text");
  CHECK(
      Rows(db,
           "SELECT kind, process, count(*), sum(duration_ns), sum(bytes) FROM host_events GROUP BY "
           "1, 2 ORDER BY 1, 2") == Lines{"block_read|python3|98|74193441|6443008",
                                          "block_write|ingero|1|2235453|172032",
                                          "block_write|jbd2/nvme1n1p1-8|2|1321084|12288"});
  CHECK(Statistics(db, "(SELECT reason AS name, duration_ns FROM off_cpu)") ==
        Lines{"unknown|99|75141782|10437|1207757|762296|1140305|1207757"});
  // Every read lies inside a wait of the same thread: both are stamped at their ends.
  CHECK(OneRow(db,
               "SELECT count(*) FROM host_events e WHERE kind = 'block_read' AND EXISTS (SELECT 1 "
               "FROM off_cpus o WHERE o.tid = e.tid AND o.end_ns >= e.end_ns AND o.start_ns < "
               "e.end_ns)") == "98");
  CHECK(LossCount(db, "ingero_trimmed") == 3537);
  CHECK(LossCount(db, "ingero_aggregates_missing") == 1);
  CHECK(OneRow(db, "SELECT count(*), sum(operation = 'cuLaunchKernel') FROM foreign_finding") ==
        "4|2");
}

TEST_CASE("ingero node-02: a sleep loop, and the tracer's own writes", "[shared]") {
  const TraceDb db = Open(kNode02);

  CHECK(Statistics(db, "api_calls") ==
        Lines{"cuMemAlloc|40|4862118|107911|154134|119866|139704|154134"});
  CHECK(Statistics(db, "(SELECT reason AS name, duration_ns FROM off_cpu)") ==
        Lines{"unknown|62|3103797436|50040194|50077951|50061156|50069015|50077951"});
  CHECK(Rows(db, "SELECT kind, process, count(*) FROM host_events GROUP BY 1, 2 ORDER BY 1, 2") ==
        Lines{"block_write|ingero|33", "block_write|jbd2/nvme0n1p1-8|65"});
  CHECK(OneRow(db, "SELECT DISTINCT bytes FROM api_call") == "1048576");
  CHECK(LossCount(db, "ingero_trimmed") == 353);
  // Without aggregates the roll-ups are made from the rows.
  CHECK(OneRow(db, "SELECT sum(event_count), sum(stored_count), min(width_ns) FROM latency") ==
        "200|200|1000000000");
}

TEST_CASE("ingero: reading changes no byte and leaves nothing beside the file", "[shared]") {
  const std::string name = GENERATE(as<std::string>(), kDataloader, kEmptyCache, kNode01, kNode02);
  const TempDir dir;
  const std::string path = dir.File("trace.db");
  std::filesystem::copy_file(SharedData(name), path);
  const auto before = Sha256OfFile(path);

  {
    const auto db = Imported(path);
    REQUIRE(db.ok());
  }

  CHECK(Sha256OfFile(path).value() == before.value());
  const auto files = std::filesystem::directory_iterator(std::filesystem::path(path).parent_path());
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("ingero: a file that is cut short is refused with a reason, wherever it is cut",
          "[shared]") {
  const TempDir dir;
  const std::string path = dir.File("cut.db");
  std::filesystem::copy_file(SharedData(kNode02), path);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const uint64_t size = std::filesystem::file_size(path);

  for (const uint64_t kept :
       {size - 1, size / 2, uint64_t{5000}, uint64_t{100}, uint64_t{50}, uint64_t{0}}) {
    std::filesystem::resize_file(path, kept);
    const auto db = Imported(path);
    REQUIRE_FALSE(db.ok());
    CHECK(db.error().code == ErrorCode::kCorruptInput);
    CHECK(db.error().message.find(path) != std::string::npos);
  }
}
