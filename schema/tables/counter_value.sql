-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE counter_value (
  -- One point of a series.
  counter_id INTEGER NOT NULL,   -- series
  time_ns INTEGER NOT NULL,      -- when, ns since the Unix epoch
  value REAL NOT NULL,           -- in the unit of the series
  PRIMARY KEY (counter_id, time_ns)
) STRICT, WITHOUT ROWID;
