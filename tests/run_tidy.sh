#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over all sources. A file is checked again only when it, a header of ours or the
# configuration changed: build/tidy keeps a stamp per clean file.
set -uo pipefail
cd "$(dirname "$0")/.."
# clang-tidy is pinned: each version finds something else.
tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
if [ -z "$tidy" ] || ! "$tidy" --version | grep -q 'version 14\.'; then
  echo "skipped: clang-tidy 14 is not here"
  exit 4
fi
[ -n "$(git ls-files Makefile)" ] || { echo "skipped: this is no git checkout, or git is not here"; exit 4; }
export tidy
[ -f build/asan/compile_commands.json ] || cmake --preset asan >/dev/null || exit 1
mkdir -p build/tidy
headers=$(git ls-files '*.h' .clang-tidy | xargs cat | sha256sum | cut -c1-64)
export headers
check() {
  local stamp
  stamp=build/tidy/$(cat "$1" <(echo "$1 $headers") | sha256sum | cut -c1-64)
  [ -e "$stamp" ] && return 0
  "$tidy" -p build/asan --quiet "$1" 2>/dev/null | grep -E 'error:|warning:' && return 1
  touch "$stamp"
}
export -f check
git ls-files 'schema/*.cc' 'collectors/*.cc' 'tools/*.cc' 'server/*.cc' 'prompts/*.cc' |
  xargs -P "${JOBS:-$(nproc)}" -n 1 bash -c 'check "$0"'
