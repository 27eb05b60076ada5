// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "schema/embedded.h"
#include "schema/trace_db.h"
#include "tests/catch.h"
#include "tests/support/small_trace.h"
#include "tests/support/temp_dir.h"

using namespace gpuwhy;

namespace {

constexpr size_t kPageBytes = 16384;

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> EveryQuery() {
  std::vector<std::string> queries = {
      "SELECT histogram_percentile(histogram, 0.5) FROM latency GROUP BY name_id",
      "SELECT p99(duration_ns) FROM api_call WHERE start_ns > 5000"};
  for (const auto& files : {EmbeddedTables(), EmbeddedViews()}) {
    for (const EmbeddedFile& file : files)
      queries.push_back("SELECT * FROM " + std::string(file.name));
  }
  return queries;
}

// True when the file could be opened. Failing is fine, as long as there is a sentence.
bool AskEverything(const std::string& path, const std::vector<std::string>& queries) {
  const auto db = TraceDb::OpenReadOnly(path);
  if (!db.ok()) {
    CHECK_FALSE(db.error().message.empty());
    return false;
  }
  db.value().SetInterrupt({}, std::chrono::steady_clock::now() + std::chrono::seconds(5));
  for (const std::string& query : queries) {
    const Status status = db.value().Query(query, {}, [](const Row& row) { (void)row.Text(0); });
    if (!status.ok()) CHECK_FALSE(status.error().message.empty());
  }
  return true;
}

}  // namespace

TEST_CASE("damaged: any bad byte gives an answer or an error, never a crash", "[hostile]") {
  const TempDir dir;
  WriteSmallTrace(dir.File("good.db"));
  const std::string original = Read(dir.File("good.db"));
  REQUIRE(original.size() % kPageBytes == 0);
  const auto queries = EveryQuery();
  int refused_count = 0;
  int opened_count = 0;

  for (size_t page = 0; page < original.size(); page += kPageBytes) {
    // The page header, its cell pointers, the middle and the end, where cells begin.
    for (const size_t offset :
         {size_t{0}, size_t{3}, size_t{8}, size_t{13}, kPageBytes / 2, kPageBytes - 9}) {
      for (const int flip : {0x01, 0xFF}) {
        std::string damaged = original;
        damaged[page + offset] = static_cast<char>(damaged[page + offset] ^ flip);
        std::ofstream(dir.File("bad.db"), std::ios::binary) << damaged;
        ++(AskEverything(dir.File("bad.db"), queries) ? opened_count : refused_count);
      }
    }
  }

  CHECK(refused_count > 0);
  CHECK(opened_count > 0);
}

TEST_CASE("damaged: pages swapped or zeroed give an answer or an error", "[hostile]") {
  const TempDir dir;
  WriteSmallTrace(dir.File("good.db"));
  const std::string original = Read(dir.File("good.db"));
  const auto queries = EveryQuery();

  for (size_t page = kPageBytes; page < original.size(); page += kPageBytes) {
    std::string zeroed = original;
    zeroed.replace(page, kPageBytes, kPageBytes, '\0');
    std::ofstream(dir.File("bad.db"), std::ios::binary) << zeroed;
    AskEverything(dir.File("bad.db"), queries);
    std::string swapped = original;
    swapped.replace(page, kPageBytes, original, original.size() - page, kPageBytes);
    std::ofstream(dir.File("bad.db"), std::ios::binary) << swapped;
    AskEverything(dir.File("bad.db"), queries);
  }

  CHECK(AskEverything(dir.File("good.db"), queries));
}
