-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE latency (
  -- Exact roll-up of all events of one name in one process (or thread) in one time bucket, stored as rows or not.
  -- A key may have several rows: add counts and sums, merge histograms.
  id INTEGER PRIMARY KEY,
  bucket_ns INTEGER NOT NULL,    -- start of the bucket, ns since the Unix epoch
  width_ns INTEGER NOT NULL,     -- length of the bucket: 1 s for our recorders, 60 s for Ingero
  process_id INTEGER,            -- process, NULL when unknown
  thread_id INTEGER,             -- set when the recorder counted per thread
  source TEXT NOT NULL,          -- table the events belong to: api_call, gpu_op, off_cpu, host_event or range
  name_id INTEGER NOT NULL,      -- operation name; for off_cpu the reason, for host_event the kind
  event_count INTEGER NOT NULL,  -- events that happened
  stored_count INTEGER NOT NULL, -- of these, stored as rows
  sum_ns INTEGER NOT NULL,       -- total duration
  min_ns INTEGER NOT NULL,       -- shortest
  max_ns INTEGER NOT NULL,       -- longest
  sum_bytes INTEGER NOT NULL DEFAULT 0,  -- total bytes
  histogram BLOB                 -- log-linear duration histogram (see schema/histogram.h), NULL when the recorder kept none
) STRICT;
