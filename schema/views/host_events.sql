-- SPDX-License-Identifier: Apache-2.0
CREATE VIEW host_events AS
  -- host_event with names resolved.
  SELECT e.id, e.start_ns, e.duration_ns, e.start_ns + e.duration_ns AS end_ns, e.kind, e.bytes, p.pid,
         p.name AS process, t.tid, t.name AS thread, ot.tid AS other_tid, d.text AS detail, e.thread_id,
         e.other_thread_id, t.process_id
  FROM host_event e
  LEFT JOIN thread t ON t.id = e.thread_id
  LEFT JOIN process p ON p.id = t.process_id
  LEFT JOIN thread ot ON ot.id = e.other_thread_id
  LEFT JOIN name d ON d.id = e.detail_name_id;
