-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE sample (
  -- One stack sample.
  id INTEGER PRIMARY KEY,
  time_ns INTEGER NOT NULL,      -- when, ns since the Unix epoch
  thread_id INTEGER NOT NULL,    -- thread sampled
  callsite_id INTEGER NOT NULL,  -- innermost node of the calling tree
  weight_count INTEGER NOT NULL DEFAULT 1  -- how many samples this row stands for
) STRICT;
