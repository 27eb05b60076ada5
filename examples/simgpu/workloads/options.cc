// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/workloads/options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace gpuwhy::simgpu {
namespace {

void AddRun(CLI::App& app, Options& options) {
  app.add_option("--steps", options.steps, "steps to run")->check(CLI::NonNegativeNumber);
  app.add_option("--duration-s", options.duration_s, "run this long instead of a number of steps");
  app.add_option("--ranks", options.ranks, "processes that all-reduce after each step")
      ->check(CLI::Range(1, 16));
  app.add_option("--slow-rank", options.slow_rank, "rank with --slow-ms more host work per step");
  app.add_option("--slow-ms", options.slow_ms, "CPU time per step of --slow-rank");
}

void AddLoader(CLI::App& app, LoaderOptions& loader) {
  app.add_option("--workers", loader.workers, "loader processes; 0: the trainer decodes itself")
      ->check(CLI::Range(0, 64));
  app.add_option("--prefetch", loader.prefetch, "batches a worker makes ahead")
      ->check(CLI::Range(1, 64));
  app.add_option("--batch-cpu-ms", loader.batch_cpu_ms, "CPU time to make one batch");
  app.add_option("--batch-bytes", loader.batch_bytes, "bytes of a batch")
      ->check(CLI::PositiveNumber);
  app.add_option_function<std::string>(
         "--handover",
         [&loader](const std::string& how) { loader.is_shared_memory = how == "shm"; },
         "how a batch gets to the trainer: shm or pipe")
      ->check(CLI::IsMember({"shm", "pipe"}));
  app.add_option("--read-file", loader.read_dir, "directory whose files the workers read")
      ->check(CLI::ExistingDirectory);
  app.add_option("--read-bytes", loader.read_bytes, "bytes read for each batch");
  app.add_flag("--drop-cache", loader.is_cache_dropped, "read from the disk, not from the cache");
}

void AddStep(CLI::App& app, StepOptions& step) {
  app.add_option("--kernels-per-step", step.kernels, "kernels of a step")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--kernel-us", step.kernel_us, "duration of a kernel");
  app.add_option("--launch-gap-us", step.launch_gap_us, "CPU time before each launch");
  app.add_option("--host-ms", step.host_ms, "serial CPU time per step");
  app.add_option("--sync-every", step.sync_every_steps, "steps between synchronisations; 0: never");
  app.add_option("--sync-every-kernels", step.sync_every_kernels, "the same within a step");
  app.add_option("--malloc-per-step", step.mallocs, "allocations that are freed at once");
  app.add_flag("--pinned,!--pageable", step.is_pinned, "memory that the batch is copied from");
  app.add_flag("--graph", step.is_graph, "launch the kernels as one graph");
  app.add_flag("--graph-each-step", step.is_graph_made_each_step, "make that graph each step anew");
  app.add_option("--fault-bytes", step.fault_bytes, "fresh memory touched per step");
  app.add_option("--resident-mappings", step.resident_mappings,
                 "mappings of memory kept all the time, as a large program has");
  app.add_option("--resident-bytes", step.resident_bytes, "bytes in all of them");
  app.add_option("--allreduce-bytes", step.allreduce_bytes, "bytes reduced per step, with --ranks");
}

void AddPauses(CLI::App& app, PauseOptions& pause) {
  app.add_option("--checkpoint-every", pause.checkpoint_every, "steps between checkpoints");
  app.add_option("--checkpoint-bytes", pause.checkpoint_bytes, "bytes written and synchronised");
  app.add_option("--checkpoint-file", pause.checkpoint_file, "where to");
  app.add_option("--log-every", pause.log_every, "steps between calls of a log that blocks");
  app.add_option("--log-ms", pause.log_ms, "how long that takes");
}

}  // namespace

Options ParseOptions(int argc, char** argv) {
  CLI::App app("A training loop on the simulated GPU");
  Options options;
  AddRun(app, options);
  AddLoader(app, options.loader);
  AddStep(app, options.step);
  AddPauses(app, options.pause);
  try {
    app.parse(argc, argv);
    if (options.ranks > 1 && options.duration_s > 0)
      throw CLI::ValidationError("--duration-s", "ranks end together only after --steps");
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

}  // namespace gpuwhy::simgpu
