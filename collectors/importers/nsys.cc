// SPDX-License-Identifier: Apache-2.0
// SQLite exports of Nsight Systems: nsys export --type sqlite report.nsys-rep
#include "collectors/importers/importer.h"
#include "collectors/nsys/call_rows.h"
#include "collectors/nsys/context.h"
#include "collectors/nsys/counter_rows.h"
#include "collectors/nsys/cpu_rows.h"
#include "collectors/nsys/gpu_rows.h"
#include "collectors/nsys/range_rows.h"

namespace gpuwhy::collectors::importers::nsys {
namespace {

using gpuwhy::nsys::Conversion;
using gpuwhy::nsys::ExportFile;

bool SniffExport(const FileHead& head) {
  if (!head.raw.starts_with(std::string_view("SQLite format 3\0", 16))) return false;
  if (ExportFile::Open(head.path).ok()) return true;
  // Truncated or damaged, but its first page still shows whose it is: Import says what is wrong.
  return head.raw.find("CUPTI_ACTIVITY_KIND_") != std::string::npos ||
         head.raw.find("TARGET_INFO_SESSION_START_TIME") != std::string::npos;
}

Status ConvertAll(Conversion& conversion) {
  GPUWHY_RETURN_IF_ERROR(gpuwhy::nsys::GpuRows(conversion).Convert());
  GPUWHY_RETURN_IF_ERROR(gpuwhy::nsys::CallRows(conversion).Convert());
  GPUWHY_RETURN_IF_ERROR(gpuwhy::nsys::RangeRows(conversion).Convert());
  GPUWHY_RETURN_IF_ERROR(gpuwhy::nsys::CpuRows(conversion).Convert());
  GPUWHY_RETURN_IF_ERROR(gpuwhy::nsys::CounterRows(conversion).Convert());
  return gpuwhy::nsys::DescribeActors(conversion);
}

Result<int64_t> ImportExport(const ImportRequest& request) {
  GPUWHY_ASSIGN_OR_RETURN(ExportFile file, ExportFile::Open(request.head.path));
  file.db().SetInterrupt(request.stop, {});
  GPUWHY_RETURN_IF_ERROR(file.ReadStrings());
  GPUWHY_ASSIGN_OR_RETURN(CaptureRow capture, gpuwhy::nsys::DescribeCapture(file));
  capture.path = request.head.path;
  GPUWHY_ASSIGN_OR_RETURN(const auto recorder, Recorder::Start(request.db, capture));
  Conversion conversion(request, file, *recorder);
  GPUWHY_RETURN_IF_ERROR(ConvertAll(conversion));
  GPUWHY_RETURN_IF_ERROR(gpuwhy::nsys::CountOmissions(conversion));
  GPUWHY_RETURN_IF_ERROR(recorder->Finish());
  return recorder->capture_id();
}

}  // namespace

Importer Define() {
  return {.name = "nsys",
          .description = "Nsight Systems export (nsys export --type sqlite)",
          .priority = 80,
          .sniff = &SniffExport,
          .import = &ImportExport};
}

}  // namespace gpuwhy::collectors::importers::nsys
