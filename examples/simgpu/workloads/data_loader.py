# SPDX-License-Identifier: Apache-2.0
"""A data loader with worker processes, after the pattern of deep-learning frameworks: an index goes
to a worker, a batch comes back by a queue (pickled through a pipe) or in shared memory.

The work is real: zlib inflates compressed images and Python undoes their line filter, until the CPU
time that was asked for is used up.
"""
import glob
import itertools
import multiprocessing
import os
import queue
import random
import signal
import time
import zlib
from multiprocessing import shared_memory

SIDE = 64
LINE_BYTES = SIDE * 3
CROP = 48


def make_image(seed):
    """Compressible like a photograph: a random walk along each line, stored as differences."""
    random_source = random.Random(seed)
    steps = bytes(random_source.choice((0, 0, 1, 2, 254, 255)) for _ in range(LINE_BYTES * SIDE))
    return zlib.compress(steps, 6)


def decode_jpeg(data):
    """Inflates, then adds up the differences of every fourth line; the others stay as they are."""
    lines = bytearray(zlib.decompress(data))
    for start in range(0, len(lines), LINE_BYTES * 4):
        row = itertools.accumulate(lines[start:start + LINE_BYTES], lambda a, b: (a + b) & 255)
        lines[start:start + LINE_BYTES] = bytes(row)
    return lines


def random_crop(image, random_source):
    left = random_source.randrange(SIDE - CROP) * 3
    top = random_source.randrange(SIDE - CROP)
    rows = (image[(top + y) * LINE_BYTES + left:][:CROP * 3] for y in range(CROP))
    return b"".join(rows)


def collate(samples, batch_bytes):
    """One buffer of the size of a batch; few samples repeat to fill it."""
    joined = b"".join(samples)
    return (joined * (batch_bytes // len(joined) + 1))[:batch_bytes]


class Dataset:
    """What a worker makes batches from."""

    def __init__(self, options):
        self.options = options
        self.images = [make_image(seed) for seed in range(16)]
        self.files = self._find_files(options.read_file) if options.read_file else []

    @staticmethod
    def _find_files(directory):
        files = sorted(path for path in glob.glob(os.path.join(directory, "*"))
                       if os.path.isfile(path))
        if not files:
            raise SystemExit(f"{directory} has no files to read: put some there")
        return files

    def read_file(self, index):
        path = self.files[index % len(self.files)]
        descriptor = os.open(path, os.O_RDONLY)
        try:
            if self.options.drop_cache:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            for offset in range(0, self.options.read_bytes, 1 << 20):
                os.pread(descriptor, 1 << 20, offset % max(1, os.fstat(descriptor).st_size))
        finally:
            os.close(descriptor)

    def load_batch(self, index):
        if self.files:
            self.read_file(index)
        end_ns = time.thread_time_ns() + int(self.options.batch_cpu_ms * 1e6)
        random_source = random.Random(index)
        samples = []
        while True:
            image = decode_jpeg(self.images[(index + len(samples)) % len(self.images)])
            samples.append(random_crop(image, random_source))
            if time.thread_time_ns() >= end_ns:
                return collate(samples, self.options.batch_bytes)


def start_worker(options):
    """What a fresh worker does first: importing, as far as time goes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_ns = time.thread_time_ns() + int(options.worker_start_ms * 1e6)
    while time.thread_time_ns() < end_ns:
        zlib.crc32(bytes(4096))


def worker_loop(options, tasks, results, memory_name):
    """The life of a worker: (index, slot) in, (index, slot, batch or None) out; None ends it."""
    start_worker(options)
    dataset = Dataset(options)
    memory = shared_memory.SharedMemory(memory_name) if memory_name else None
    while (task := tasks.get()) is not None:
        index, slot = task
        batch = dataset.load_batch(index)
        if memory is not None:
            start = slot * options.batch_bytes
            memory.buf[start:start + options.batch_bytes] = batch
            batch = None
        results.put((index, slot, batch))
    if memory is not None:
        memory.close()


class DataLoader:
    """Iterates over batches in order, for ever. A batch stays valid until the next one."""

    def __init__(self, options):
        self.options = options
        self.context = multiprocessing.get_context(options.start_method)
        self.next_index = 0
        self.memory = None
        self.workers = []
        self.own_dataset = Dataset(options) if options.workers == 0 else None
        if options.workers > 0:
            self._start_workers()

    def _start_workers(self):
        options = self.options
        self.slot_count = options.workers * options.prefetch + 1
        if options.handover == "shm" and self.memory is None:
            size = self.slot_count * options.batch_bytes
            self.memory = shared_memory.SharedMemory(create=True, size=size)
        name = self.memory.name if self.memory else None
        self.results = self.context.Queue()
        self.tasks = [self.context.Queue() for _ in range(options.workers)]
        self.workers = [self.context.Process(target=worker_loop, daemon=True,
                                             args=(options, tasks, self.results, name))
                        for tasks in self.tasks]
        for worker in self.workers:
            worker.start()
        self.sent_index = self.next_index
        self.early = {}
        for _ in range(options.workers * options.prefetch):
            self._send_task()

    def _send_task(self):
        index = self.sent_index
        self.tasks[index % len(self.tasks)].put((index, index % self.slot_count))
        self.sent_index += 1

    def _wait_for_result(self):
        while True:
            try:
                return self.results.get(timeout=5)
            except queue.Empty:
                if any(worker.exitcode is not None for worker in self.workers):
                    raise SystemExit("a loader process has ended early") from None

    def _take(self, index):
        while index not in self.early:
            arrived, slot, batch = self._wait_for_result()
            self.early[arrived] = (slot, batch)
        return self.early.pop(index)

    def __iter__(self):
        return self

    def __next__(self):
        index = self.next_index
        self.next_index += 1
        if self.own_dataset is not None:
            return self.own_dataset.load_batch(index)
        if self.options.restart_every and index and index % self.options.restart_every == 0:
            self.next_index = index
            self._restart()
            self.next_index = index + 1
        slot, batch = self._take(index)
        self._send_task()
        if self.memory is None:
            return batch
        start = slot * self.options.batch_bytes
        return self.memory.buf[start:start + self.options.batch_bytes]

    def _restart(self):
        self._stop_workers()
        self._start_workers()

    def _stop_workers(self):
        for tasks in self.tasks if self.workers else []:
            tasks.cancel_join_thread()
        for worker in self.workers:
            worker.terminate()
            worker.join()
        self.workers = []

    def close(self):
        self._stop_workers()
        if self.memory is not None:
            self.memory.close()
            self.memory.unlink()
