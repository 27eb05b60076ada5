#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The examples do what their READMEs say: check_examples.sh PROGRAM RECORDER
set -uo pipefail
program=$(realpath "${1:?}") recorder=$(realpath "${2:?}")
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

# The recorder still records: a second of it has the rows that the tools need.
"$recorder" "$dir/trace.db" 1 || complain "the recorder failed"
for table in api_call gpu_op range off_cpu; do
  "$program" query --db "$dir/trace.db" "SELECT count(*) > 5 AS has_rows FROM $table" --json 2>&1 | grep -q '"has_rows": *1' ||
    complain "a second of recording has no rows of $table"
done
exit $bad
