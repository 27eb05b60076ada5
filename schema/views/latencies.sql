-- SPDX-License-Identifier: Apache-2.0
CREATE VIEW latencies AS
  -- latency with names resolved.
  SELECT l.id, l.bucket_ns, l.width_ns, l.source, n.text AS name, p.pid, p.name AS process, t.tid,
         t.name AS thread, l.event_count, l.stored_count, l.sum_ns, l.min_ns, l.max_ns, l.sum_bytes, l.histogram,
         l.process_id, l.thread_id
  FROM latency l
  JOIN name n ON n.id = l.name_id
  LEFT JOIN process p ON p.id = l.process_id
  LEFT JOIN thread t ON t.id = l.thread_id;
