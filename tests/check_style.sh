#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Format, licences, banned words, lock files: what needs no compiler.
set -uo pipefail
cd "$(dirname "$0")/.."
bad=0
complain() { echo "$1"; bad=1; }
list() { git ls-files -- "$@"; }
[ -n "$(list Makefile)" ] || { echo "skipped: this is no git checkout, or git is not here"; exit 4; }

# clang-format is pinned: versions disagree.
formatter=$(command -v clang-format-14 || command -v clang-format)
if [ -n "$formatter" ] && "$formatter" --version | grep -q 'version 14\.'; then
  list '*.cc' '*.h' | xargs "$formatter" --dry-run -Werror 2>&1 | grep error: | head -20 | grep . && bad=1
else
  echo "format not checked: clang-format 14 is not here"
fi

for file in $(list '*.cc' '*.h' '*.c' '*.sql' '*.sh' '*.mjs' '*.py' CMakeLists.txt '*/CMakeLists.txt' Makefile .ci/run); do
  [ "$(grep -cE '^(//|#|--|/\*) SPDX-License-Identifier: ' "$file")" -eq 1 ] || complain "$file: wants one SPDX line"
done

# Each has a better way: ParseInt throws nothing, fmt checks its arguments, tests wait on conditions. A test may
# open the namespace that it tests.
ban() {  # ban REGEX FILE...
  local regex=$1 matches
  shift
  matches=$(grep -nE "$regex" "$@" | grep -v NOLINT) && complain "banned: $matches"
}
ban 'std::sto[a-z]+\(|\bv?sprintf\(|sleep_for|\bu?sleep\(' $(list '*.cc' '*.h')
ban 'using namespace ' $(list '*.cc' '*.h' | grep -v '^tests/')

for lock in $(list '*package-lock.json'); do
  grep -q '"resolved"' "$lock" && complain "$lock: holds download addresses"
done
exit $bad
