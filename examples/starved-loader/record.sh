#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the example anew: record.sh BUILD_DIR [FILE]. Needs root, and a machine with nothing else to do.
set -euo pipefail
build=$(realpath "${1:?usage: $0 BUILD_DIR [FILE]}")
here=$(cd "$(dirname "$0")" && pwd)
trace=${2:-$here/trace.db}
rm -f "$trace"
cd "$here/../.."
LD_LIBRARY_PATH=$build/simgpu "$build/gpuwhy" trace -q -o "$trace" -- \
  python3 examples/simgpu/workloads/train.py --duration-s 5 --workers 1 --batch-cpu-ms 25 --sync-every 1
