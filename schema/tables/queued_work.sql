-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE queued_work (
  -- One stretch in which a process had work queued for a device, as its calls tell: from the first launch or
  -- copy until the return of a wait that found nothing left. Outside of them the device is proven to have had
  -- nothing of this process; inside it may have paused. Written by recorders that see every call.
  id INTEGER PRIMARY KEY,
  start_ns INTEGER NOT NULL,     -- entry of the first call, ns since the Unix epoch
  duration_ns INTEGER NOT NULL,  -- until the wait returned
  process_id INTEGER NOT NULL,   -- process whose work it was
  first_call_id INTEGER,         -- api_call that ended the idle time before
  last_call_id INTEGER           -- api_call of the wait; NULL when nobody waited before the end
) STRICT;
