// SPDX-License-Identifier: Apache-2.0
#include "collectors/import_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>

#include "collectors/foreign_formats.h"
#include "collectors/sha256.h"
#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr size_t kHeadBytes = 64 << 10;

// Inflates as much of a gzip prefix as it holds, at most kHeadBytes.
std::string GunzipPrefix(const std::string& raw) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return {};
  std::string out(kHeadBytes, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_SYNC_FLUSH);
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

Error NotRecognised(const FileHead& head) {
  const std::string path = CleanText(head.path);
  if (const std::string advice = HowToConvert(head); !advice.empty()) {
    return CorruptInput(fmt::format("{} {}", path, advice));
  }
  std::string known;
  for (const Importer& importer : collectors::importers::AllImporters()) {
    known += fmt::format("{}{}", known.empty() ? "" : "; ", importer.description);
  }
  return CorruptInput(fmt::format("{} is in no format that gpuwhy reads ({})", path, known));
}

// The import, its indexes and the file's hash, up to the commit.
Result<int64_t> RunImport(const Importer& importer, const ImportRequest& request,
                          std::future<Result<std::string>>& sha256) {
  const TraceDb& db = request.db;
  GPUWHY_ASSIGN_OR_RETURN(const int64_t last_capture, db.QueryInt("SELECT max(id) FROM capture"));
  GPUWHY_ASSIGN_OR_RETURN(const int64_t capture_id, importer.import(request));
  GPUWHY_RETURN_IF_ERROR(db.CreateIndexes());
  GPUWHY_ASSIGN_OR_RETURN(const std::string hash, sha256.get());
  GPUWHY_RETURN_IF_ERROR(db.Query("UPDATE capture SET sha256 = ? WHERE id > ?",
                                  {std::string_view(hash), last_capture}, [](const Row&) {}));
  GPUWHY_RETURN_IF_ERROR(db.Execute("COMMIT"));
  return capture_id;
}

}  // namespace

const Importer* FindImporter(const FileHead& head) {
  const Importer* best = nullptr;
  for (const Importer& importer : collectors::importers::AllImporters()) {
    const bool is_better = best == nullptr || importer.priority > best->priority;
    if (is_better && importer.sniff(head)) best = &importer;
  }
  return best;
}

Result<FileHead> ReadFileHead(const std::string& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) {
    return NotFound(fmt::format("cannot open {}: no such file", CleanText(path)));
  }
  if (!std::filesystem::is_regular_file(status)) {
    return InvalidArgument(fmt::format("cannot open {}: not a regular file", CleanText(path)));
  }
  FileHead head{.path = path, .size_bytes = std::filesystem::file_size(path, failure)};
  if (head.size_bytes == 0) {
    return CorruptInput(fmt::format(
        "{} is empty (0 bytes): the recording never started or the copy failed", CleanText(path)));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Unavailable(fmt::format("cannot read {}: {}", CleanText(path), std::strerror(errno)));
  head.raw.resize(std::min<uint64_t>(kHeadBytes, head.size_bytes));
  file.read(head.raw.data(), static_cast<std::streamsize>(head.raw.size()));
  head.is_gzip = head.raw.starts_with("\x1f\x8b");
  head.text = head.is_gzip ? GunzipPrefix(head.raw) : head.raw;
  return head;
}

Result<ImportReport> ImportFile(const TraceDb& db, const std::string& path,
                                const ImportOptions& options) {
  GPUWHY_ASSIGN_OR_RETURN(FileHead head, ReadFileHead(path));
  const Importer* importer = FindImporter(head);
  if (importer == nullptr) return NotRecognised(head);
  ImportReport report{.importer = std::string(importer->name), .size_bytes = head.size_bytes};
  GPUWHY_RETURN_IF_ERROR(db.Execute("BEGIN IMMEDIATE"));
  // Hashing needs as long as parsing, so it runs beside the import.
  std::stop_source hashing;
  auto sha256 = std::async(std::launch::async, Sha256OfFile, path, hashing.get_token());
  const auto capture_id = RunImport(
      *importer,
      {.db = db, .head = std::move(head), .stop = options.stop, .progress = options.progress},
      sha256);
  if (!capture_id.ok()) {
    hashing.request_stop();
    if (sqlite3_get_autocommit(db.handle()) == 0) (void)db.Execute("ROLLBACK");
    return capture_id.error();
  }
  report.capture_id = capture_id.value();
  return report;
}

}  // namespace gpuwhy
