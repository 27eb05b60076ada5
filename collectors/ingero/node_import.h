// SPDX-License-Identifier: Apache-2.0
// Converts what one node contributed to an Ingero file into one capture. Lives for one import; one
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "collectors/importers/importer.h"
#include "collectors/ingero/actors.h"
#include "collectors/ingero/events.h"
#include "collectors/ingero/source_file.h"
#include "collectors/recorder.h"

namespace gpuwhy::ingero {

struct NodeRequest {
  const ImportRequest& import;
  const SourceFile& file;
  const std::string& node;
  bool is_first = true;        // takes the tables that do not say of which node they are
  int64_t file_row_count = 1;  // events of the whole file, for progress
};

class NodeImport {
 public:
  // Starts the capture.
  static Result<std::unique_ptr<NodeImport>> Start(const NodeRequest& request);

  // Returns the capture's id.
  Result<int64_t> Run();

 private:
  NodeImport(const NodeRequest& request, CaptureRow capture, std::unique_ptr<Recorder> recorder,
             Owners owners);
  Status ConvertEvents();
  Status ConvertTotals();
  Status ConvertContext();
  void AddFact(std::string_view name, int64_t value);

  NodeRequest request_;
  CaptureRow capture_;
  std::unique_ptr<Recorder> recorder_;
  Actors actors_;
  EventConverter events_;
  bool has_aggregates_ = false;
};

}  // namespace gpuwhy::ingero
