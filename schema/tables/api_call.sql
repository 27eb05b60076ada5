-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE api_call (
  -- One host call into CUDA, HIP or NCCL.
  id INTEGER PRIMARY KEY,
  start_ns INTEGER NOT NULL,     -- entry, ns since the Unix epoch
  duration_ns INTEGER NOT NULL,  -- return minus entry
  thread_id INTEGER NOT NULL,    -- calling thread
  name_id INTEGER NOT NULL,      -- function name, for example cudaLaunchKernel
  parent_id INTEGER,             -- enclosing api_call: the runtime call that made this driver call. Never sum parents with children
  correlation_id INTEGER,        -- joins gpu_op of the same process; one launch may have many operations (graphs)
  bytes INTEGER,                 -- bytes copied, set or allocated
  copy_kind TEXT,                -- H2D, D2H, D2D, H2H, P2P or default, for copies
  host_memory TEXT,              -- pageable or pinned, for copies, where known
  stream INTEGER,                -- stream number or handle, NULL when unknown
  event INTEGER,                 -- handle of the CUDA event that is recorded, waited for or asked
  return_code INTEGER,           -- API result; 0 and NULL mean no error seen
  callsite_id INTEGER            -- call stack at the call
) STRICT;
