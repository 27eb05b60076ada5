-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE kernel_metric (
  -- One Nsight Compute metric of one kernel launch.
  id INTEGER PRIMARY KEY,
  gpu_op_id INTEGER,             -- the launch, where it could be matched
  launch_index INTEGER NOT NULL, -- position of the launch in the report
  kernel_name_id INTEGER NOT NULL,  -- kernel
  metric_name_id INTEGER NOT NULL,  -- metric, as the report names it
  unit TEXT NOT NULL,            -- unit of value after normalisation
  value REAL NOT NULL            -- measured value
) STRICT;
