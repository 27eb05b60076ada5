-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE gpu (
  -- One device.
  id INTEGER PRIMARY KEY,
  capture_id INTEGER NOT NULL,   -- capture that saw it
  device_index INTEGER NOT NULL, -- index as the recorder numbered it
  uuid TEXT,                     -- device UUID where known
  name TEXT,                     -- model name
  sm_count INTEGER,              -- streaming multiprocessors
  memory_bytes INTEGER,          -- device memory
  compute_capability TEXT        -- for example "9.0"
) STRICT;
