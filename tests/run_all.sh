#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that CI runs: style, the tests under ASan and UBSan, clang-tidy. Goes on after a failure and ends with
# one line that counts; build/summary.txt keeps it.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
passed=0 failed=0 skipped=0
rm -f build/summary.txt
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

step() {  # step NAME COMMAND...: exit code 4 means skipped, with the reason printed
  local name=$1 begin=$SECONDS code
  shift
  echo "== $name"
  "$@"
  code=$?
  case $code in
    0) passed=$((passed + 1)) ;;
    4) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)); echo "FAILED: $name" ;;
  esac
  echo "   $name: $((SECONDS - begin)) s"
}

build() {
  cmake --preset "$1" "${launcher[@]}" >"build/$1.configure.log" 2>&1 || { cat "build/$1.configure.log"; return 1; }
  cmake --build --preset "$1" -j "$jobs" >"build/$1.build.log" 2>&1 || { grep -A20 -E 'error|FAILED' "build/$1.build.log" | head -60; return 1; }
}

run_ctest() {  # run_ctest PRESET [ctest options]
  local preset=$1 log="build/$1.ctest.log" total bad not_run
  shift
  ctest --test-dir "build/$preset" --output-on-failure -j "$jobs" "$@" >"$log" 2>&1
  grep -E '^[0-9]+% tests passed' "$log" || { tail -40 "$log"; failed=$((failed + 1)); return; }
  grep -E '\*\*\*(Failed|Exception|Timeout)|skipped:' "$log"
  total=$(sed -nE 's/^[0-9]+% tests passed, [0-9]+ tests failed out of ([0-9]+)/\1/p' "$log")
  bad=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of [0-9]+/\1/p' "$log")
  not_run=$(grep -c '\*\*\*Skipped' "$log")
  [ "$bad" -gt 0 ] && sed -n '/FAILED:/,$p' "$log" | head -200
  passed=$((passed + total - bad - not_run)) failed=$((failed + bad)) skipped=$((skipped + not_run))
}

step style tests/check_style.sh
step "build with ASan and UBSan" build asan
run_ctest asan
step tidy tests/run_tidy.sh

line="$passed passed, $failed failed, $skipped skipped"
mkdir -p build && echo "$line" >build/summary.txt
[ "${CI:-}" = true ] || echo "$line"
[ "$failed" -eq 0 ]
