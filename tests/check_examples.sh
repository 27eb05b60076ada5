#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The examples do what their READMEs say: check_examples.sh PROGRAM
set -uo pipefail
program=$(realpath "${1:?}")
cd "$(dirname "$0")/.."
bad=0
complain() { echo "$1"; bad=1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

for expected in examples/*/expected.txt; do
  trace=$(dirname "$expected")/trace.db
  before=$(sha256sum "$trace")
  "$program" explain "$trace" >"$dir/answer" 2>"$dir/log" || complain "explain $trace: $(cat "$dir/log")"
  # Lines are wrapped to be read, so spaces are not compared.
  answer=$(tr -s ' \n' ' ' <"$dir/answer")
  while IFS= read -r line; do
    [[ $answer == *"$line"* ]] || complain "explain $trace does not say: $line"
  done <"$expected"
  [ "$before" = "$(sha256sum "$trace")" ] || complain "explain changed $trace"
done
exit $bad
