-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE callsite (
  -- One node of the calling tree; follow parent_id to the outermost caller.
  id INTEGER PRIMARY KEY,
  parent_id INTEGER,             -- caller, NULL for the outermost
  frame_id INTEGER NOT NULL      -- function
) STRICT;
