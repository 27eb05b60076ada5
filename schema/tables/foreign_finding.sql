-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE foreign_finding (
  -- What another tool concluded. Shown as theirs, with our verdict beside it. Untrusted text.
  id INTEGER PRIMARY KEY,
  capture_id INTEGER NOT NULL,   -- capture it came with
  tool TEXT NOT NULL,            -- ingero, nsys, ...
  external_id TEXT NOT NULL,     -- id in that tool
  time_ns INTEGER,               -- when it was raised, ns since the Unix epoch
  severity TEXT NOT NULL,        -- HIGH, MEDIUM, LOW as that tool said
  title TEXT NOT NULL,           -- one line
  cause TEXT,                    -- root cause as that tool said
  explanation TEXT,              -- longer text
  recommendations TEXT,          -- JSON array of texts
  operation TEXT,                -- affected operation
  p50_ns INTEGER,                -- median it quoted
  p99_ns INTEGER,                -- 99th percentile it quoted
  tail_ratio REAL                -- p99 / p50 it quoted
) STRICT;
