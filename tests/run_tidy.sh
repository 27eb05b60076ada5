#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over all sources, as the unity files of the asan build have them: headers are read once for a dozen
# sources. A unity file is checked again only when a source in it, a header of ours or the configuration changed:
# build/tidy keeps a stamp per clean file.
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
[ -f build/asan/build.ninja ] || cmake --preset asan >/dev/null || exit 1
cmake --build --preset asan --target bpf/recorder.skel.h >/dev/null || exit 1
units() { sed -n 's/^ *"file": "\(.*\/Unity\/.*\)".*/\1/p' build/asan/compile_commands.json; }  # not those of an earlier configuration
sources() { sed -n 's/^#include "\(.*\)"$/\1/p' "$1"; }
# Nothing may slip through: every source of ours is in some unit.
missed=$(comm -23 <(git ls-files 'schema/*.cc' 'collectors/*.cc' 'tools/*.cc' 'server/*.cc' 'prompts/*.cc' | sed "s|^|$PWD/|" | sort) \
                  <(units | while read -r unit; do sources "$unit"; done | sort))
[ -z "$missed" ] || { echo "error: in no unity file, configure again: $missed"; exit 1; }
mkdir -p build/tidy
headers=$(git ls-files '*.h' .clang-tidy | xargs cat | sha256sum | cut -c1-64)
export headers
check() {
  local stamp
  stamp=build/tidy/$(cat "$1" $(sources "$1") <(echo "$headers") | sha256sum | cut -c1-64)
  [ -e "$stamp" ] && return 0
  "$tidy" -p build/asan --quiet "$1" 2>/dev/null | grep -E 'error:|warning:' | sort -u | grep . && return 1
  touch "$stamp"
}
export -f check sources
units | xargs -P "${JOBS:-$(nproc)}" -n 1 bash -c 'check "$0"'
