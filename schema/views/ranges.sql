-- SPDX-License-Identifier: Apache-2.0
CREATE VIEW ranges AS
  -- range with names resolved.
  SELECT r.id, r.start_ns, r.duration_ns, r.start_ns + r.duration_ns AS end_ns, n.text AS name, r.category,
         p.pid, p.name AS process, t.tid, t.name AS thread, r.sequence_id, r.shapes, r.thread_id, t.process_id
  FROM range r
  JOIN name n ON n.id = r.name_id
  JOIN thread t ON t.id = r.thread_id
  JOIN process p ON p.id = t.process_id;
