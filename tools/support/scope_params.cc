// SPDX-License-Identifier: Apache-2.0
#include "tools/support/scope_params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr size_t kNameLimit = 40;

Result<std::vector<int64_t>> Ids(const TraceDb& db, std::string_view sql,
                                 TraceDb::Arguments arguments) {
  std::vector<int64_t> ids;
  GPUWHY_RETURN_IF_ERROR(
      db.Query(sql, arguments, [&](const Row& row) { ids.push_back(row.Int(0)); }));
  return ids;
}

Error NoSuchProcess(const TraceDb& db, const std::string& wanted) {
  std::vector<std::string> known;
  const Status status = db.Query(
      "SELECT pid, name FROM process WHERE pid >= 0 ORDER BY id LIMIT 12", {}, [&](const Row& row) {
        const std::string name = CleanText(row.Text(1), kNameLimit);
        known.push_back(name.empty() ? fmt::format("{}", row.Int(0))
                                     : fmt::format("{} ({})", row.Int(0), name));
      });
  if (!status.ok()) return status.error();
  return NotFound(fmt::format("no process {} in the trace; there are: {}",
                              CleanText(wanted, kNameLimit), fmt::join(known, ", ")));
}

}  // namespace

Param GpuParam() {
  return {.name = "gpu",
          .type = ParamType::kInteger,
          .description = "Only this device: its index.",
          .min = 0,
          .max = 1'000'000};
}

Result<std::vector<int64_t>> ResolveProcesses(const TraceDb& db, const Params& params) {
  if (!params.Has("process")) return std::vector<int64_t>();
  const std::string wanted = params.Text("process");
  GPUWHY_ASSIGN_OR_RETURN(
      auto ids, Ids(db, "SELECT id FROM process WHERE CAST(pid AS TEXT) = ?1 OR name = ?1",
                    {std::string_view(wanted)}));
  if (ids.empty()) return NoSuchProcess(db, wanted);
  return ids;
}

Result<std::vector<int64_t>> ResolveGpus(const TraceDb& db, const Params& params) {
  if (!params.Has("gpu")) return std::vector<int64_t>();
  const int64_t index = params.Int("gpu");
  GPUWHY_ASSIGN_OR_RETURN(auto ids, Ids(db, "SELECT id FROM gpu WHERE device_index = ?", {index}));
  if (ids.empty()) return NotFound(fmt::format("no device {} in the trace", index));
  return ids;
}

}  // namespace gpuwhy
