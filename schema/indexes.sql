-- SPDX-License-Identifier: Apache-2.0
-- Built once rows are in: bulk loads run without them.
CREATE INDEX IF NOT EXISTS api_call_start ON api_call (start_ns);
CREATE INDEX IF NOT EXISTS api_call_correlation ON api_call (correlation_id) WHERE correlation_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS gpu_op_start ON gpu_op (start_ns);
CREATE INDEX IF NOT EXISTS range_start ON range (start_ns);
CREATE INDEX IF NOT EXISTS off_cpu_start ON off_cpu (start_ns);
CREATE INDEX IF NOT EXISTS host_event_start ON host_event (start_ns);
CREATE INDEX IF NOT EXISTS sample_time ON sample (time_ns);
CREATE INDEX IF NOT EXISTS queued_work_start ON queued_work (start_ns);
