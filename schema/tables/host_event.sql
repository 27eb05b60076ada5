-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE host_event (
  -- One thing the operating system did that can delay the host side.
  id INTEGER PRIMARY KEY,
  start_ns INTEGER NOT NULL,     -- begin, ns since the Unix epoch
  duration_ns INTEGER NOT NULL,  -- 0 for instants
  thread_id INTEGER,             -- thread it happened to or that did it
  other_thread_id INTEGER,       -- the other party: wakee, child, victim, lock holder
  kind TEXT NOT NULL,            -- block_read, block_write, block_discard, page_alloc, fault, mmap_lock, reclaim, compaction, fork, exec, exit, thread_exit, oom_kill, wakeup, foreign_mm_lock (other walked thread's memory: smaps, ptrace), throttle, net_send, net_recv, tcp_retransmit, other
  bytes INTEGER,                 -- bytes read, written, sent or allocated
  detail_name_id INTEGER         -- free text: device, path, cgroup
) STRICT;
