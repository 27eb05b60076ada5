-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE thread (
  -- One incarnation of a thread.
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL,   -- process row it belongs to
  tid INTEGER NOT NULL,          -- thread id in the recorded system; may be negative in traces that cut pthread ids
  name TEXT,                     -- thread name; untrusted text
  start_ns INTEGER,              -- creation time, NULL when it was there before
  end_ns INTEGER                 -- exit time, NULL when it outlived the capture
) STRICT;
