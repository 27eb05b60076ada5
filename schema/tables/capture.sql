-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE capture (
  -- One recording or one imported file. Every other row belongs to a capture, directly or through its process.
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,            -- ebpf, cupti, nvml, system, kineto, nsys, ncu, perf, ingero, telemetry, self
  path TEXT,                     -- file that was imported, as the user named it
  host TEXT,                     -- host name of the recorded machine
  rank INTEGER,                  -- rank in a distributed job, NULL when unknown
  world_size INTEGER,            -- number of ranks in the job, NULL when unknown
  start_ns INTEGER,              -- first observed instant, ns since the Unix epoch (UTC)
  end_ns INTEGER,                -- last observed instant, ns since the Unix epoch (UTC)
  clock_offset_ns INTEGER,       -- what was added to the recorder's clock to get Unix time
  clock_error_ns INTEGER,        -- bound of the error of clock_offset_ns
  cpu_count INTEGER,             -- logical CPUs of the host, NULL when unknown
  memory_bytes INTEGER,          -- main memory of the host, NULL when unknown
  is_selective INTEGER NOT NULL DEFAULT 0,  -- 1 when the recorder kept only some events as rows: row statistics are biased
  tool_version TEXT,             -- recorder and version, for example "ingero 0.8"
  facts TEXT NOT NULL DEFAULT '{}',  -- JSON object: further facts (os, kernel, driver, cuda, python, schema, warnings)
  sha256 TEXT                    -- of an imported file
) STRICT;
