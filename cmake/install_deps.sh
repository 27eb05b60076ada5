#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing on Debian 12/13 and Ubuntu 22.04/24.04: install_deps.sh build|test.
# Asks for nothing and needs no root when everything is there.
set -euo pipefail

build=(g++ cmake ninja-build pkg-config libsqlite3-dev libfmt-dev libspdlog-dev zlib1g-dev nettle-dev
       nlohmann-json3-dev libcli11-dev libsimdjson-dev libboost-dev libelf-dev libdw-dev libbpf-dev
       clang bpftool)
test=(git catch2 clang-format clang-tidy nodejs npm sqlite3 python3 ca-certificates)

case "${1:-build}" in
  build) wanted=("${build[@]}") ;;
  test) wanted=("${build[@]}" "${test[@]}") ;;
  *) echo "usage: $0 build|test" >&2; exit 2 ;;
esac

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
# A tool from elsewhere (a node of the user's own, say) serves as well as the package.
is_provided() {
  case "$1" in
    nodejs) command -v node ;;
    npm|cmake|g++|git|clang|python3|sqlite3|clang-format|clang-tidy) command -v "$1" ;;
    ninja-build) command -v ninja ;;
    bpftool) PATH=$PATH:/usr/sbin:/sbin command -v bpftool ;;
    *) false ;;
  esac >/dev/null
}

missing=()
for package in "${wanted[@]}"; do
  is_installed "$package" || is_provided "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "missing: ${missing[*]}; this script knows only apt-get: install them with your package manager" >&2
  exit 3
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "missing: ${missing[*]}; run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 3
  fi
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
