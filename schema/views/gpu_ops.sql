-- SPDX-License-Identifier: Apache-2.0
CREATE VIEW gpu_ops AS
  -- gpu_op with names resolved: the table to start from in SQL.
  SELECT o.id, o.start_ns, o.duration_ns, o.start_ns + o.duration_ns AS end_ns, o.kind, n.text AS name,
         g.device_index, g.name AS gpu, p.pid, p.name AS process, o.stream, o.context_id, o.correlation_id,
         o.bytes, o.copy_kind, o.host_memory, o.grid_x, o.grid_y, o.grid_z, o.block_x, o.block_y, o.block_z,
         o.register_count, o.shared_memory_bytes, o.graph_node_id, o.gpu_id, o.process_id
  FROM gpu_op o
  JOIN name n ON n.id = o.name_id
  JOIN gpu g ON g.id = o.gpu_id
  LEFT JOIN process p ON p.id = o.process_id;
