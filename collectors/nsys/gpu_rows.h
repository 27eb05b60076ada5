// SPDX-License-Identifier: Apache-2.0
// Work on devices: kernels, copies, memsets, whole graphs, synchronisation records. One thread.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "collectors/nsys/conversion.h"

namespace gpuwhy::nsys {

class GpuRows {
 public:
  explicit GpuRows(Conversion& conversion) : conversion_(conversion) {}
  Status Convert();

 private:
  // Fills what differs between tables; `row` begins with the table's own columns.
  using Fill = std::function<void(const Row& row, GpuOpRow& op)>;

  Status ReadDeviceMap();
  Status ConvertTable(std::string_view table, std::string_view kind,
                      std::vector<std::string_view> own_columns, const Fill& fill);
  Status ConvertKernels();
  Status ConvertCopies();
  Status ConvertMemsets();
  // Whole graphs are rows by default (--cuda-graph-trace=graph). Where nodes are, graphs are not.
  Status ConvertGraphs();
  Status ConvertSyncs();
  void SetGraphNode(const Row& row, int column, GpuOpRow& op);
  int64_t KernelName(const Row& row);

  Conversion& conversion_;
  bool has_graph_nodes_ = false;
};

}  // namespace gpuwhy::nsys
