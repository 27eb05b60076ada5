-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE off_cpu (
  -- One stretch in which a thread did not run.
  id INTEGER PRIMARY KEY,
  start_ns INTEGER NOT NULL,     -- switched out, ns since the Unix epoch
  duration_ns INTEGER NOT NULL,  -- until it ran again
  thread_id INTEGER NOT NULL,    -- the thread that waited
  runnable_ns INTEGER,           -- part of duration_ns spent ready and waiting for a core, NULL when not measured
  reason TEXT NOT NULL,          -- preempted, sleep, io, lock, fault, timer, network, poll, pipe, child, unknown
  waker_thread_id INTEGER,       -- thread that woke it
  preemptor_thread_id INTEGER,   -- thread that took its core
  callsite_id INTEGER            -- kernel stack of the wait
) STRICT;
