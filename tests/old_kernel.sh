#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records a workload under another kernel: tests/old_kernel.sh linux-image-6.1.0-57-amd64 (a Debian package, fetched
# with apt-get) or a vmlinuz. Boots it in qemu, without hardware help and without a disk, and runs gpuwhy check, trace
# and explain there. By hand: needs qemu-system-x86, busybox-static, cpio, and build/release with the tests built.
set -euo pipefail
cd "$(dirname "$0")/.."
kernel=${1:?usage: tests/old_kernel.sh PACKAGE|VMLINUZ [BUILD]}
build=${2:-build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for tool in qemu-system-x86_64 busybox cpio; do
  command -v $tool >/dev/null || { echo "skipped: $tool is not here"; exit 4; }
done
[ -x "$build/gpuwhy" ] && [ -x "$build/simgpu/training_loop" ] || { echo "error: build first: make bench builds $build"; exit 2; }

if [ ! -f "$kernel" ]; then
  (cd "$work" && apt-get download -q "$kernel" && dpkg -x ./*.deb image) >/dev/null 2>&1
  kernel=$(ls "$work"/image/boot/vmlinuz-*)
fi

root=$work/root
mkdir -p "$root"/{bin,proc,sys,dev,tmp,lib64,opt/simgpu,root}
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in sh mount poweroff uname; do ln -s busybox "$root/bin/$applet"; done
cp "$build/gpuwhy" "$root/opt/"
cp -a "$build/simgpu/." "$root/opt/simgpu/"
for program in "$build/gpuwhy" "$build"/simgpu/training_loop "$build"/simgpu/*.so*; do
  ldd "$program" | awk '/=> \//{print $3} /^\t\//{print $1}'
done | sort -u | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
cat >"$root/init" <<'INIT'
#!/bin/sh
export PATH=/bin HOME=/root NO_COLOR=1 LD_LIBRARY_PATH=/opt/simgpu
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mount -t tracefs tracing /sys/kernel/tracing; mount -t tmpfs tmp /tmp
echo "kernel $(uname -r)"
gpuwhy=/opt/gpuwhy
$gpuwhy check && echo "passed: check"
$gpuwhy trace -o /tmp/t.db -- /opt/simgpu/training_loop --duration-s 8 --workers 1 --batch-cpu-ms 20 && echo "passed: trace"
$gpuwhy query --db /tmp/t.db "SELECT name, event_count FROM loss WHERE event_count > 0"
$gpuwhy explain /tmp/t.db && echo "passed: explain"
poweroff -f
INIT
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initrd"
timeout 500 qemu-system-x86_64 -m 2048 -smp 2 -kernel "$kernel" -initrd "$work/initrd" -nographic -no-reboot \
  -append "console=ttyS0 quiet panic=-1" | tr -d '\r' | tee "$work/log"
passed=$(grep -c '^passed: ' "$work/log" || true)
echo "$passed of 3 passed"
[ "$passed" -eq 3 ]
