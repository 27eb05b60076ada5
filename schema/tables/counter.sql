-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE counter (
  -- One series of measured values.
  id INTEGER PRIMARY KEY,
  capture_id INTEGER NOT NULL,   -- capture that measured it
  name TEXT NOT NULL,            -- for example system.cpu_pct, gpu.sm_clock_mhz; the unit is the suffix
  unit TEXT NOT NULL,            -- pct, bytes, mhz, watts, count, ratio, ns
  process_id INTEGER,            -- for per-process series
  gpu_id INTEGER                 -- for per-device series
) STRICT;
