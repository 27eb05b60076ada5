// SPDX-License-Identifier: Apache-2.0
#include "tests/support/imported_text.h"

#include <zlib.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace gpuwhy {

int64_t ImportedText::Int(std::string_view sql) const {
  const auto value = db.QueryInt(sql);
  return value.ok() ? value.value() : INT64_MIN;
}

std::string ImportedText::Text(std::string_view sql) const {
  std::string text;
  const Status status = db.Query(sql, {}, [&](const Row& row) { text = row.Text(0); });
  return status.ok() ? text : status.error().message;
}

int64_t ImportedText::Loss(std::string_view name) const {
  return db.QueryInt("SELECT sum(event_count) FROM loss WHERE name = ?", {name}).value();
}

ImportedText ImportText(std::string_view text, const std::string& file_name,
                        const ImportOptions& options) {
  const TempDir dir;
  std::ofstream(dir.File(file_name), std::ios::binary) << text;
  auto db = TraceDb::CreateInMemory();
  GPUWHY_CHECK(db.ok());
  auto report = ImportFile(db.value(), dir.File(file_name), options);
  return {std::move(db).value(), std::move(report)};
}

std::string Gzip(std::string_view text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace gpuwhy
