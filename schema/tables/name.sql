-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE name (
  -- Interned text: every *_name_id column points here. Text comes from traces: untrusted.
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL             -- the text, UTF-8
) STRICT;
