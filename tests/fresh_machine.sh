#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries the README on a machine that has nothing: a bare root of a distribution, a clone, the two
# commands, each timed. Not part of `make test`: it needs root, debootstrap and a package mirror.
#   fresh_machine.sh bookworm|trixie|jammy|noble [--test]
# MIRROR is the mirror to install from (default: debootstrap's), ROOT where to put the root.
# Work that is committed is what is tried. Settings of apt are taken over from this machine.
set -euo pipefail
suite=${1:?usage: $0 SUITE [--test]}
source=$(cd "$(dirname "$0")/.." && pwd)
root=${ROOT:-/var/tmp/gpuwhy-$suite}

[ "$(id -u)" -eq 0 ] || { echo "run as root: a root of another distribution is made and entered" >&2; exit 3; }
command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; exit 3; }

timed() {  # timed WHAT COMMAND...
  local what=$1 begin=$SECONDS
  shift
  "$@"
  echo "== $what: $((SECONDS - begin)) s"
}

make_root() {
  debootstrap --variant=minbase "$suite" "$root" ${MIRROR:+"$MIRROR"} >"$root.log" 2>&1 || { tail "$root.log"; exit 1; }
  cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
}

inside() { chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c "$1"; }

[ -x "$root/bin/bash" ] || timed "bare root of $suite" make_root
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT

rm -rf "$root/root/gpuwhy"
git clone -q --no-local "$source" "$root/root/gpuwhy"
# What a user has who has cloned: git, and make to begin with.
timed "make" inside 'command -v make >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends make >/dev/null; }'
timed "make investigate" inside 'cd /root/gpuwhy && make investigate'
timed "make investigate, again" inside 'cd /root/gpuwhy && make investigate >/dev/null'
[ "${2:-}" != --test ] || timed "make test" inside 'cd /root/gpuwhy && make test'
