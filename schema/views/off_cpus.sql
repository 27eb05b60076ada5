-- SPDX-License-Identifier: Apache-2.0
CREATE VIEW off_cpus AS
  -- off_cpu with names resolved.
  SELECT o.id, o.start_ns, o.duration_ns, o.start_ns + o.duration_ns AS end_ns, o.runnable_ns, o.reason, p.pid,
         p.name AS process, t.tid, t.name AS thread, wt.tid AS waker_tid, pt.tid AS preemptor_tid,
         o.callsite_id, o.thread_id, t.process_id
  FROM off_cpu o
  JOIN thread t ON t.id = o.thread_id
  JOIN process p ON p.id = t.process_id
  LEFT JOIN thread wt ON wt.id = o.waker_thread_id
  LEFT JOIN thread pt ON pt.id = o.preemptor_thread_id;
