#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh GPUWHY TRACE: installs the official MCP clients into the build directory (GPUWHY_NPM_DIR) from
# the lock file and lets them use `gpuwhy mcp`. Exit status 4: they cannot be had here, for the reason printed.
set -eu

gpuwhy=$1
trace=$2
here=$(cd "$(dirname "$0")" && pwd)
dir=${GPUWHY_NPM_DIR:-"$here/../../build/npm"}

skip() {
  echo "skipped: $1"
  exit 4
}

command -v npm >/dev/null || skip "npm is missing (apt-get install npm)"
[ -e "$trace" ] || skip "there is no trace at $trace"

mkdir -p "$dir"
if ! cmp -s "$here/package-lock.json" "$dir/installed-lock.json"; then
  cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$dir/"
  (cd "$dir" && npm ci >install.log 2>&1) || skip "npm ci failed, see $dir/install.log: $(grep -m1 'npm error' "$dir/install.log")"
  cp "$here/package-lock.json" "$dir/installed-lock.json"
fi
cp "$here"/*.mjs "$here/../bench/stdio_peer.mjs" "$dir/"

# Node 22 comes with the packages: the distribution's may be older than the clients need.
node="$dir/node_modules/node/bin/node"
"$node" --version >/dev/null 2>&1 || node=node
case $("$node" --version) in
  v22.* | v2[3-9].* | v[3-9][0-9].*) ;;
  *) skip "the clients need Node 22, this is $("$node" --version)" ;;
esac
exec "$node" "$dir/run.mjs" "$gpuwhy" "$trace"
