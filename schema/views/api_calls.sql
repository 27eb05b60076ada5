-- SPDX-License-Identifier: Apache-2.0
CREATE VIEW api_calls AS
  -- api_call with names resolved: the table to start from in SQL.
  SELECT c.id, c.start_ns, c.duration_ns, c.start_ns + c.duration_ns AS end_ns, n.text AS name, p.pid,
         p.name AS process, t.tid, t.name AS thread, c.parent_id, c.correlation_id, c.bytes, c.copy_kind,
         c.host_memory, c.stream, c.return_code, c.callsite_id, c.thread_id, t.process_id
  FROM api_call c
  JOIN name n ON n.id = c.name_id
  JOIN thread t ON t.id = c.thread_id
  JOIN process p ON p.id = t.process_id;
