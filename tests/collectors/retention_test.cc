// SPDX-License-Identifier: Apache-2.0
// A long recording within a size: real rows in a real file, a second at a time.
#include "collectors/retention.h"

#include <filesystem>

#include "collectors/log_limit.h"
#include "tests/catch.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'700'000'000 * kSecond;
constexpr int kCallsOfSecond = 5000;
constexpr int64_t kMiB = 1 << 20;

// A recorder that writes as a live one does: one transaction a second.
class LongRecording {
 public:
  explicit LongRecording(int64_t max_bytes, int64_t max_log_bytes = 64 * kMiB)
      : db_(Make(dir_.File("trace.db"))),
        recorder_(std::move(Recorder::Start(db_, {.kind = "ebpf"})).value()),
        retention_(db_, *recorder_, max_bytes),
        log_(db_, max_log_bytes) {
    thread_ = recorder_->ThreadOf(recorder_->ProcessOf(1), 1);
    name_ = recorder_->InternName("cudaLaunchKernel");
  }

  void Second() {
    REQUIRE(db_.Execute("BEGIN").ok());
    for (int i = 0; i < kCallsOfSecond && !log_.is_full(); ++i)
      AddCall(kStart + second_ * kSecond + i * (kSecond / kCallsOfSecond));
    recorder_->AddCounterValue("system.cpu_pct", "pct", kStart + second_ * kSecond, 50);
    ++second_;
    REQUIRE(retention_.Trim(kStart + second_ * kSecond).ok());
    REQUIRE(recorder_->Finish().ok());
    REQUIRE(db_.Execute("COMMIT").ok());
    REQUIRE(log_.Look().ok());
  }

  int64_t Int(const std::string& sql) const {
    const auto value = db_.QueryInt(sql);
    REQUIRE(value.ok());
    return value.value();
  }
  int64_t BytesOf(const std::string& suffix) const {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(path() + suffix, failure);
    return failure ? 0 : static_cast<int64_t>(bytes);
  }
  std::string path() const { return dir_.File("trace.db"); }
  int64_t seconds() const { return second_; }
  bool is_log_full() const { return log_.is_full(); }

 private:
  static TraceDb Make(const std::string& path) {
    auto db = TraceDb::OpenForWriting(path);
    REQUIRE(db.ok());
    REQUIRE(db.value().Execute("PRAGMA journal_mode = WAL").ok());
    REQUIRE(db.value().CreateIndexes().ok());
    return std::move(db).value();
  }

  // A runtime call and the driver call inside of it.
  void AddCall(int64_t start_ns) {
    ApiCallRow row;
    row.start_ns = start_ns;
    row.duration_ns = 10'000;
    row.thread_id = thread_;
    row.name_id = name_;
    row.parent_id = recorder_->Add(row);
    row.start_ns += 1000;
    recorder_->Add(row);
  }

  TempDir dir_;
  TraceDb db_;
  std::unique_ptr<Recorder> recorder_;
  Retention retention_;
  LogLimit log_;
  int64_t thread_ = 0;
  int64_t name_ = 0;
  int64_t second_ = 0;
};

}  // namespace

TEST_CASE("retention: the file stays within its size, the newest rows stay, roll-ups are complete",
          "[retention]") {
  LongRecording recording(8 * kMiB);
  while (recording.seconds() < 60)
    recording.Second();

  CHECK(recording.BytesOf("") <= 8 * kMiB);
  CHECK(recording.Int("SELECT sum(event_count) FROM latency") ==
        recording.seconds() * kCallsOfSecond * 2);
  CHECK(recording.Int("SELECT max(start_ns) FROM api_call") >=
        kStart + (recording.seconds() - 1) * kSecond);
  CHECK(recording.Int("SELECT count(*) FROM api_call") > 10 * kCallsOfSecond);
  CHECK(recording.Int("SELECT is_selective FROM capture") == 1);
}

TEST_CASE("retention: the loss says how many rows are gone and from when on there are some",
          "[retention]") {
  LongRecording recording(4 * kMiB);
  while (recording.seconds() < 40)
    recording.Second();
  const int64_t kept = recording.Int("SELECT count(*) FROM api_call") +
                       recording.Int("SELECT count(*) FROM counter_value");
  const int64_t written = recording.seconds() * (kCallsOfSecond * 2 + 1);

  CHECK(recording.Int("SELECT event_count FROM loss WHERE name = 'rows_expired'") ==
        written - kept);
  CHECK(recording.Int("SELECT min(start_ns) FROM api_call") >=
        recording.Int("SELECT last_ns FROM loss WHERE name = 'rows_expired'"));
  CHECK(recording.Int("SELECT first_ns FROM loss WHERE name = 'rows_expired'") == kStart);
  CHECK(recording.Int("SELECT count(*) FROM loss WHERE description LIKE '%from its second%'") == 1);
}

TEST_CASE("retention: no inner call stays without the call that made it", "[retention]") {
  LongRecording recording(4 * kMiB);
  while (recording.seconds() < 30)
    recording.Second();

  CHECK(recording.Int("SELECT count(*) FROM api_call c WHERE parent_id IS NOT NULL AND NOT EXISTS "
                      "(SELECT 1 FROM api_call p WHERE p.id = c.parent_id)") == 0);
}

TEST_CASE("retention: without a size nothing is deleted", "[retention]") {
  LongRecording recording(0);
  while (recording.seconds() < 10)
    recording.Second();

  CHECK(recording.Int("SELECT count(*) FROM api_call") == recording.seconds() * kCallsOfSecond * 2);
  CHECK(recording.Int("SELECT count(*) FROM loss") == 0);
}

TEST_CASE("log: a reader that does not end stops the rows, not the disk; then all goes on",
          "[retention]") {
  LongRecording recording(0, 4 * kMiB);
  recording.Second();
  {
    const auto reader = TraceDb::OpenReadOnly(recording.path());
    REQUIRE(reader.ok());
    auto slow = reader.value().Prepare("SELECT id FROM api_call");
    REQUIRE(slow.ok());
    REQUIRE(slow.value().Step().value());  // an old state, for as long as it is not finished
    while (!recording.is_log_full())
      recording.Second();
    const int64_t full_bytes = recording.BytesOf("-wal");
    for (int i = 0; i < 20; ++i)
      recording.Second();

    CHECK(recording.is_log_full());
    CHECK(full_bytes < 12 * kMiB);
    CHECK(recording.BytesOf("-wal") < full_bytes + 8 * kMiB);
  }
  recording.Second();
  CHECK_FALSE(recording.is_log_full());
  CHECK(recording.BytesOf("-wal") == 0);
  const int64_t before = recording.Int("SELECT count(*) FROM api_call");
  recording.Second();
  CHECK(recording.Int("SELECT count(*) FROM api_call") == before + kCallsOfSecond * 2);
}

}  // namespace gpuwhy
