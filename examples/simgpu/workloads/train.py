#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training loop in Python on the simulated GPU, with the standard library only.

    LD_LIBRARY_PATH=build/dev/simgpu python3 examples/simgpu/workloads/train.py --steps 100
"""
import argparse
import ctypes
import gc
import os
import threading
import time

from cuda_runtime import (CAPTURE_GLOBAL, EVENT_DISABLE_TIMING, HOST_TO_DEVICE,
                          STREAM_NON_BLOCKING, Cuda)
from data_loader import DataLoader

KERNELS = ("conv_forward", "gemm_forward", "gemm_backward", "adam_update")


def add_loader_options(parser):
    parser.add_argument("--workers", type=int, default=2, help="0: the trainer decodes itself")
    parser.add_argument("--prefetch", type=int, default=2, help="batches a worker makes ahead")
    parser.add_argument("--batch-cpu-ms", type=float, default=4, help="CPU time to make a batch")
    parser.add_argument("--batch-bytes", type=int, default=1 << 20)
    parser.add_argument("--handover", choices=("shm", "pipe"), default="shm")
    parser.add_argument("--read-file", metavar="DIR", help="directory whose files workers read")
    parser.add_argument("--read-bytes", type=int, default=8 << 20, help="per batch")
    parser.add_argument("--drop-cache", action="store_true", help="read from the disk")
    parser.add_argument("--start-method", choices=("fork", "spawn"), default="fork")
    parser.add_argument("--restart-every", type=int, default=0, help="batches; 0: never")
    parser.add_argument("--worker-start-ms", type=float, default=0, help="CPU time of a new worker")


def add_step_options(parser):
    parser.add_argument("--kernels-per-step", type=int, default=20)
    parser.add_argument("--kernel-us", type=float, default=500, help="duration of a kernel")
    parser.add_argument("--host-ms", type=float, default=0, help="serial Python time per step")
    parser.add_argument("--sync-every", type=int, default=2, help="steps; 0: never")
    parser.add_argument("--pinned", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--pageable", dest="pinned", action="store_false")
    parser.add_argument("--malloc-per-step", type=int, default=0)
    parser.add_argument("--graph", action="store_true")


def add_pause_options(parser):
    parser.add_argument("--checkpoint-every", type=int, default=0, help="steps; 0: never")
    parser.add_argument("--checkpoint-bytes", type=int, default=256 << 20)
    parser.add_argument("--checkpoint-file", default="/tmp/simgpu_checkpoint.bin")
    parser.add_argument("--log-every", type=int, default=0, help="steps; 0: never")
    parser.add_argument("--log-ms", type=float, default=5, help="how long a log call blocks")
    parser.add_argument("--gc-every", type=int, default=0, help="steps between gc.collect()")
    parser.add_argument("--gc-objects", type=int, default=0, help="objects it has to visit")
    parser.add_argument("--gc-freeze", action="store_true", help="hide them from the collector")
    parser.add_argument("--background-thread", action="store_true",
                        help="a second thread computes in Python")


def parse_options():
    parser = argparse.ArgumentParser(description="A training loop on the simulated GPU")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--duration-s", type=float, default=0, help="instead of --steps")
    add_loader_options(parser)
    add_step_options(parser)
    add_pause_options(parser)
    return parser.parse_args()


def compute_metrics():
    """A little of what training scripts do in Python: numbers in dictionaries."""
    metrics = {}
    for i in range(64):
        metrics[f"loss/{i}"] = sum(value * 0.5 for value in range(16))
    return metrics


def schedule_requests(cpu_ms):
    """Serial work of the interpreter."""
    end_ns = time.thread_time_ns() + int(cpu_ms * 1e6)
    while time.thread_time_ns() < end_ns:
        compute_metrics()


def hold_interpreter(stop):
    """The second thread: never waits."""
    while not stop.is_set():
        compute_metrics()


def save_checkpoint(options):
    block = bytes(1 << 20)
    with open(options.checkpoint_file, "wb") as file:
        for start in range(0, options.checkpoint_bytes, len(block)):
            file.write(block[:options.checkpoint_bytes - start])
        file.flush()
        os.fsync(file.fileno())


def write_log(options):
    """A call that blocks, as one to a log server does."""
    threading.Event().wait(options.log_ms / 1000)


class Trainer:
    """The device side of the loop."""

    def __init__(self, options):
        self.options = options
        self.cuda = Cuda()
        self.step = 0
        for name in KERNELS:
            self.cuda.register_kernel(name)
        self.stream = self.cuda.make("cudaStreamCreateWithFlags", STREAM_NON_BLOCKING)
        self.input = self.cuda.make("cudaMalloc", options.batch_bytes)
        self.staging = [self._make_staging() for _ in range(2)] if options.pinned else []
        self.graph = None

    def _make_staging(self):
        memory = self.cuda.make("cudaHostAlloc", self.options.batch_bytes, 0)
        return memory, self.cuda.make("cudaEventCreateWithFlags", EVENT_DISABLE_TIMING)

    def copy_in(self, batch):
        size = self.options.batch_bytes
        if not self.staging:
            source = batch if isinstance(batch, bytes) else bytes(batch)
            self.cuda.call("cudaMemcpyAsync", self.input, source, size, HOST_TO_DEVICE, self.stream)
            return
        memory, is_free = self.staging[self.step % 2]
        self.cuda.call("cudaEventSynchronize", is_free)
        target = (ctypes.c_char * size).from_address(memory.value)
        memoryview(target).cast("B")[:] = batch
        self.cuda.call("cudaMemcpyAsync", self.input, memory, size, HOST_TO_DEVICE, self.stream)
        self.cuda.call("cudaEventRecord", is_free, self.stream)

    def launch_kernels(self):
        for i in range(self.options.kernels_per_step):
            is_allocated = i < self.options.malloc_per_step
            scratch = self.cuda.make("cudaMalloc", 1 << 20) if is_allocated else None
            self.cuda.launch(KERNELS[i % len(KERNELS)], self.options.kernel_us, self.stream)
            if is_allocated:
                self.cuda.call("cudaFree", scratch)

    def make_graph(self):
        self.cuda.call("cudaStreamBeginCapture", self.stream, CAPTURE_GLOBAL)
        for i in range(self.options.kernels_per_step):
            self.cuda.launch(KERNELS[i % len(KERNELS)], self.options.kernel_us, self.stream)
        graph = self.cuda.end_capture(self.stream)
        executable = self.cuda.make("cudaGraphInstantiate", graph, 0)
        self.cuda.call("cudaGraphDestroy", graph)
        return executable

    def train_step(self, batch):
        self.copy_in(batch)
        schedule_requests(self.options.host_ms)
        if self.options.graph:
            self.launch_graph()
        else:
            self.launch_kernels()
        self.step += 1
        if self.options.sync_every and self.step % self.options.sync_every == 0:
            self.cuda.call("cudaStreamSynchronize", self.stream)

    def launch_graph(self):
        if self.graph is None:
            self.graph = self.make_graph()
        self.cuda.call("cudaGraphLaunch", self.graph, self.stream)

    def finish(self):
        self.cuda.call("cudaDeviceSynchronize")


def is_due(step, every):
    return every > 0 and step % every == 0


def pause_after_step(options, step):
    if is_due(step, options.log_every):
        write_log(options)
    if is_due(step, options.checkpoint_every):
        save_checkpoint(options)
    if is_due(step, options.gc_every):
        gc.collect()


def train(options, loader):
    trainer = Trainer(options)
    start = time.monotonic()
    for batch in loader:
        trainer.train_step(batch)
        pause_after_step(options, trainer.step)
        elapsed = time.monotonic() - start
        if elapsed >= options.duration_s if options.duration_s else trainer.step >= options.steps:
            break
    trainer.finish()
    seconds = time.monotonic() - start
    print(f"steps={trainer.step} seconds={seconds:.3f} steps_per_second={trainer.step / seconds:.1f}")


def main():
    options = parse_options()
    loader = DataLoader(options)  # before CUDA, which does not survive a fork
    stop = threading.Event()
    kept = [[i] for i in range(options.gc_objects)]
    if options.gc_freeze:
        gc.freeze()
    if options.background_thread:
        threading.Thread(target=hold_interpreter, args=(stop,), daemon=True).start()
    try:
        train(options, loader)
    finally:
        stop.set()
        loader.close()
        kept.clear()


if __name__ == "__main__":
    main()
