// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/settings.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gpuwhy::simgpu {
namespace {

// A value that is no number is said, and the default stays.
void ReadNumber(const char* variable, int64_t minimum, int64_t& value) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return;
  int64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error == std::errc() && stop == end && number >= minimum) {
    value = number;
    return;
  }
  std::fprintf(stderr, "simgpu: %s=%s is not a whole number from %lld on; %lld is used\n", variable,
               text, static_cast<long long>(minimum), static_cast<long long>(value));
}

void ReadText(const char* variable, std::string& value) {
  if (const char* text = std::getenv(variable)) value = text;
}

void ReadCosts(Settings& settings) {
  ReadNumber("SIMGPU_LAUNCH_NS", 0, settings.launch_ns);
  ReadNumber("SIMGPU_MALLOC_NS", 0, settings.malloc_ns);
  ReadNumber("SIMGPU_FREE_NS", 0, settings.free_ns);
  ReadNumber("SIMGPU_POOL_NS", 0, settings.pool_ns);
  ReadNumber("SIMGPU_CONTEXT_NS", 0, settings.context_ns);
  ReadNumber("SIMGPU_FIRST_LAUNCH_NS", 0, settings.first_launch_ns);
  ReadNumber("SIMGPU_GRAPH_NODE_NS", 0, settings.graph_node_ns);
}

void ReadRates(Settings& settings) {
  ReadNumber("SIMGPU_H2D_BYTES_PER_S", 1, settings.h2d_bytes_per_s);
  ReadNumber("SIMGPU_D2H_BYTES_PER_S", 1, settings.d2h_bytes_per_s);
  ReadNumber("SIMGPU_PAGEABLE_BYTES_PER_S", 1, settings.pageable_bytes_per_s);
  ReadNumber("SIMGPU_PIN_BYTES_PER_S", 1, settings.pin_bytes_per_s);
  ReadNumber("SIMGPU_DEVICE_BYTES_PER_S", 1, settings.device_bytes_per_s);
  ReadNumber("SIMGPU_LINK_BYTES_PER_S", 1, settings.link_bytes_per_s);
}

Settings Read() {
  Settings settings;
  ReadCosts(settings);
  ReadRates(settings);
  ReadNumber("SIMGPU_MEMORY_BYTES", 1, settings.memory_bytes);
  ReadNumber("SIMGPU_QUEUE_DEPTH", 1, settings.queue_depth);
  ReadText("SIMGPU_LOG", settings.log_prefix);
  ReadText("SIMGPU_DRIVER_LOCK", settings.driver_lock);
  return settings;
}

}  // namespace

const Settings& GetSettings() {
  static const Settings& settings = *new Settings(Read());
  return settings;
}

}  // namespace gpuwhy::simgpu
