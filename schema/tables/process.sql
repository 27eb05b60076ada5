-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE process (
  -- One incarnation of a process. Pids are reused, so everything refers to id.
  id INTEGER PRIMARY KEY,
  capture_id INTEGER NOT NULL,   -- capture that saw it
  pid INTEGER NOT NULL,          -- process id (tgid) in the recorded system
  parent_id INTEGER,             -- process row of the parent, NULL when unknown
  name TEXT,                     -- command name (comm); untrusted text
  cmdline TEXT,                  -- command line with secrets redacted; untrusted text
  container TEXT,                -- container id or cgroup path
  rank INTEGER,                  -- rank in a distributed job
  start_ns INTEGER,              -- fork or exec time, NULL when it was there before
  end_ns INTEGER                 -- exit time, NULL when it outlived the capture
) STRICT;
