#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every benchmark of a build and prints what each measured: run_all.sh build/release
set -uo pipefail
build=${1:?usage: $0 BUILD_FOLDER}
export GPUWHY_PROGRAM=$build/gpuwhy
for program in "$build"/tests/bench/*_bench; do
  echo "== $(basename "$program")"
  "$program" || echo "$(basename "$program") failed with $?"
done
