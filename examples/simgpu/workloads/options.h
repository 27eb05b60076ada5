// SPDX-License-Identifier: Apache-2.0
// What the training loop does, from its command line. Times are CPU time of the thread unless they
// say otherwise.
#pragma once

#include <cstdint>
#include <string>

namespace gpuwhy::simgpu {

struct LoaderOptions {
  int workers = 2;
  int prefetch = 2;  // batches that a worker makes ahead
  double batch_cpu_ms = 4;
  size_t batch_bytes = size_t{1} << 20;
  bool is_shared_memory = true;  // else the batch goes through a pipe
  std::string read_dir;          // empty: nothing is read
  size_t read_bytes = size_t{8} << 20;
  bool is_cache_dropped = false;  // before each read
};

struct StepOptions {
  int kernels = 20;
  double kernel_us = 500;
  double launch_gap_us = 0;  // host work before each launch
  double host_ms = 0;        // host work after each step
  int sync_every_steps = 2;  // 0: never
  int sync_every_kernels = 0;
  int mallocs = 0;  // pairs of cudaMalloc and cudaFree, each around a kernel
  bool is_pinned = true;
  bool is_graph = false;
  bool is_graph_made_each_step = false;
  size_t fault_bytes = 0;  // fresh memory that is touched each step
  int resident_mappings = 0;
  size_t resident_bytes = size_t{3} << 30;  // in all of them
  size_t allreduce_bytes = size_t{1} << 20;
};

struct PauseOptions {
  int checkpoint_every = 0;  // steps; 0: never
  size_t checkpoint_bytes = size_t{256} << 20;
  std::string checkpoint_file = "/tmp/simgpu_checkpoint.bin";
  int log_every = 0;
  double log_ms = 5;  // elapsed time, blocked
};

struct Options {
  int64_t steps = 200;
  double duration_s = 0;  // more than 0: instead of `steps`
  int ranks = 1;          // processes that reduce together
  int slow_rank = -1;
  double slow_ms = 9;
  LoaderOptions loader;
  StepOptions step;
  PauseOptions pause;
};

// Ends the process after --help and after an error in the arguments.
Options ParseOptions(int argc, char** argv);

}  // namespace gpuwhy::simgpu
