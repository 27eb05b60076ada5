#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records a busy workload for a long time: tests/soak.sh [MINUTES] [BUILD]. Fails when memory, files or what is loaded
# into the kernel grow, or when the trace does not open. By hand, as root: needs bpftool and build/release with tests.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-30} build=$(realpath "${2:-build/release}") max_mb=400
[ "$(id -u)" -eq 0 ] || { echo "skipped: recording needs root"; exit 4; }
command -v bpftool >/dev/null || { echo "skipped: bpftool is not here"; exit 4; }
[ -x "$build/simgpu/training_loop" ] || { echo "error: build first: make bench builds $build"; exit 2; }
work=$(mktemp -d)
export LD_LIBRARY_PATH=$build/simgpu
load_pids=()
trap 'kill "${load_pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT

kernel_objects() { for kind in map prog link; do bpftool "$kind" list 2>/dev/null | grep -cE '^[0-9]+:' || true; done | paste -sd' '; }
before=$(kernel_objects)

# Short kernels without waiting: many calls. A loader of small batches through a pipe: many switches.
"$build/simgpu/training_loop" --duration-s $((minutes * 60 + 60)) --kernels-per-step 50 --kernel-us 20 --launch-gap-us 20 \
  --workers 2 --batch-cpu-ms 0.2 --batch-bytes 65536 --handover pipe --steps 100000000 >/dev/null 2>&1 &
load_pids+=($!)
"$build/gpuwhy" trace --pid "${load_pids[0]}" --duration "$((minutes * 60))s" --max-db ${max_mb}M --overhead-budget 100 \
  -o "$work/trace.db" >"$work/out.txt" 2>&1 &
recorder=$!

# The summary at the end reads the whole trace; it is no part of recording.
samples=() during= begin=$SECONDS
while kill -0 $recorder 2>/dev/null; do
  sleep 10
  rss_kb=$(awk '/VmRSS/{print $2}' /proc/$recorder/status 2>/dev/null) || break
  files=$(ls /proc/$recorder/fd 2>/dev/null | wc -l)
  [ -n "$rss_kb" ] && [ $((SECONDS - begin)) -lt $((minutes * 60 - 5)) ] && samples+=("$rss_kb $files")
  [ -n "$during" ] || during=$(kernel_objects)
done
status=0
wait $recorder || status=$?
kill "${load_pids[@]}" 2>/dev/null || true
sleep 1
after=$(kernel_objects)

largest() {  # largest COLUMN FROM TO: among samples, in thirds
  printf '%s\n' "${samples[@]}" | awk -v c="$1" -v a="$2" -v b="$3" -v n=${#samples[@]} \
    'NR > n * a / 3 && NR <= n * b / 3 && $c > most { most = $c } END { print most + 0 }'
}
rss_middle=$(largest 1 1 2) rss_end=$(largest 1 2 3) files_middle=$(largest 2 1 2) files_end=$(largest 2 2 3)
sed -n '/^Recorded/,$p' "$work/out.txt"
echo "memory in kB, every fifth minute: $(printf '%s\n' "${samples[@]}" | awk 'NR % 30 == 1 { printf "%s ", $1 }')"
size_mb=$(($(stat -c %s "$work/trace.db") >> 20))
echo "memory $rss_middle kB in the middle third, $rss_end kB in the last; open files $files_middle, $files_end"
echo "kernel maps, programs, links: before $before, during $during, after $after; file $size_mb MiB of $max_mb"
bad=0
check() { if ! "${@:2}"; then echo "FAILED: $1"; bad=1; fi; }
check "the recorder ended with $status" test $status -eq 0
check "memory grew" test $((rss_end * 10)) -le $((rss_middle * 11))
check "open files grew" test "$files_end" -le "$files_middle"
check "bpftool does not show what is loaded" test "$before" != "$during"
check "something stayed in the kernel" test "$before" = "$after"
check "the file is larger than asked" test "$size_mb" -le $((max_mb + max_mb / 10))
check "the trace does not open" sh -c "'$build/gpuwhy' explain '$work/trace.db' >/dev/null"
exit $bad
