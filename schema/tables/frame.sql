-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE frame (
  -- One function as it appears in stacks. Untrusted text.
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,            -- native, kernel or python
  function_name TEXT NOT NULL,   -- demangled where possible, raw address when unresolved
  module TEXT,                   -- shared object or binary
  file TEXT,                     -- source file
  line INTEGER                   -- source line; for Ingero's Python frames the first line of the function
) STRICT;
