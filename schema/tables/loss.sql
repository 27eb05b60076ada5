-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE loss (
  -- One kind of lost, skipped or repaired record. A non-zero count is part of every answer.
  id INTEGER PRIMARY KEY,
  capture_id INTEGER NOT NULL,   -- capture that lost it
  name TEXT NOT NULL,            -- snake_case kind, for example kineto_event_without_duration
  severity TEXT NOT NULL,        -- info (nothing lost), repaired, data_loss
  event_count INTEGER NOT NULL,  -- how many records
  first_ns INTEGER,              -- first affected instant where known
  last_ns INTEGER,               -- last affected instant where known
  description TEXT NOT NULL,     -- what happened, with one example
  advice TEXT NOT NULL           -- how to avoid it
) STRICT;
