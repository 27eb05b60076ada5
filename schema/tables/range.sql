-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE range (
  -- One named span on a host thread: NVTX, record_function, ProfilerStep, framework operator, Python function.
  -- Nesting is containment in time on the same thread.
  id INTEGER PRIMARY KEY,
  start_ns INTEGER NOT NULL,     -- begin, ns since the Unix epoch
  duration_ns INTEGER NOT NULL,  -- end minus begin; 0 for instants
  thread_id INTEGER NOT NULL,    -- thread the span is on
  name_id INTEGER NOT NULL,      -- span name
  category TEXT NOT NULL,        -- cpu_op, user_annotation, python_function, nvtx, overhead, or the recorder's own word
  sequence_id INTEGER,           -- autograd sequence number joining forward and backward
  shapes TEXT                    -- input shapes as recorded
) STRICT;
