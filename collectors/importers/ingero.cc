// SPDX-License-Identifier: Apache-2.0
// Ingero's trace databases. A file merged from several nodes becomes one capture per node.
#include <algorithm>

#include "collectors/importers/importer.h"
#include "collectors/ingero/node_import.h"

namespace gpuwhy::collectors::importers::ingero {
namespace {

using gpuwhy::ingero::NodeImport;
using gpuwhy::ingero::SourceFile;

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

bool Sniff(const FileHead& head) {
  if (!head.raw.starts_with(kSqliteMagic)) return false;
  if (SourceFile::Open(head.path).ok()) return true;
  // Truncated or damaged, but its first page still shows whose it is: Import says what is wrong.
  return head.raw.find("stack_hash") != std::string::npos &&
         head.raw.find("causal_chains") != std::string::npos;
}

Result<int64_t> Import(const ImportRequest& request) {
  GPUWHY_ASSIGN_OR_RETURN(const SourceFile file, SourceFile::Open(request.head.path));
  file.db().SetInterrupt(request.stop, {});
  GPUWHY_ASSIGN_OR_RETURN(const int64_t row_count,
                          file.db().QueryInt("SELECT count(*) FROM events"));
  int64_t first_capture_id = 0;
  for (const std::string& node : file.Nodes()) {
    GPUWHY_ASSIGN_OR_RETURN(const auto import,
                            NodeImport::Start({.import = request,
                                               .file = file,
                                               .node = node,
                                               .is_first = first_capture_id == 0,
                                               .file_row_count = std::max<int64_t>(row_count, 1)}));
    GPUWHY_ASSIGN_OR_RETURN(const int64_t capture_id, import->Run());
    if (first_capture_id == 0) first_capture_id = capture_id;
  }
  return first_capture_id;
}

}  // namespace

Importer Define() {
  return {.name = "ingero",
          .description = "Ingero trace database (SQLite)",
          .priority = 90,
          .sniff = &Sniff,
          .import = &Import};
}

}  // namespace gpuwhy::collectors::importers::ingero
