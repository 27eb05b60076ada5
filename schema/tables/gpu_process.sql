-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE gpu_process (
  -- Which process used which device; exact, and read instead of all rows of gpu_op.
  gpu_id INTEGER NOT NULL,      -- device
  process_id INTEGER NOT NULL,  -- process that launched the operations
  op_count INTEGER NOT NULL,    -- operations; records of kind sync do not count
  first_ns INTEGER NOT NULL,    -- start of the first, ns since the Unix epoch
  last_ns INTEGER NOT NULL,     -- end of the last
  PRIMARY KEY (gpu_id, process_id)
) STRICT, WITHOUT ROWID;
