-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE gpu_op (
  -- One piece of work on a device.
  id INTEGER PRIMARY KEY,
  start_ns INTEGER NOT NULL,     -- first instant of execution, ns since the Unix epoch
  duration_ns INTEGER NOT NULL,  -- length of execution
  gpu_id INTEGER NOT NULL,       -- device
  process_id INTEGER,            -- process that launched it
  context_id INTEGER,            -- CUDA context as recorded
  stream INTEGER,                -- stream as recorded
  kind TEXT NOT NULL,            -- kernel, memcpy, memset, graph or sync; sync never counts as busy
  name_id INTEGER NOT NULL,      -- kernel or operation name
  correlation_id INTEGER,        -- the api_call of the same process that launched it
  bytes INTEGER,                 -- bytes moved or set
  copy_kind TEXT,                -- H2D, D2H, D2D, H2H or P2P, for copies
  host_memory TEXT,              -- pageable or pinned, for copies, where known
  grid_x INTEGER,                -- blocks in x
  grid_y INTEGER,                -- blocks in y
  grid_z INTEGER,                -- blocks in z
  block_x INTEGER,               -- threads per block in x
  block_y INTEGER,               -- threads per block in y
  block_z INTEGER,               -- threads per block in z
  register_count INTEGER,        -- registers per thread
  shared_memory_bytes INTEGER,   -- shared memory per block, static and dynamic
  graph_node_id INTEGER          -- node of the graph that launched it
) STRICT;
