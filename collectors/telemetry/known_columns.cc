// SPDX-License-Identifier: Apache-2.0
#include "collectors/telemetry/known_columns.h"

#include <algorithm>
#include <span>

#include "collectors/text/trim.h"
#include "schema/base/text.h"

namespace gpuwhy::telemetry {
namespace {

constexpr size_t kNameLimit = 80;

// nvidia-smi --query-gpu (dots become '_') and the words that scripts around NVML use.
constexpr KnownColumn kQueryColumns[] = {
    {"utilization_gpu", "utilization", "%"},
    {"gpu_utilization", "utilization", "%"},
    {"gpu_util", "utilization", "%"},
    {"utilization", "utilization", "%"},
    {"utilization_memory", "memory_utilization", "%"},
    {"memory_utilization", "memory_utilization", "%"},
    {"memory_util", "memory_utilization", "%"},
    {"mem_util", "memory_utilization", "%"},
    {"utilization_encoder", "encoder_utilization", "%"},
    {"utilization_decoder", "decoder_utilization", "%"},
    {"utilization_jpeg", "jpeg_utilization", "%"},
    {"utilization_ofa", "ofa_utilization", "%"},
    {"temperature_gpu", "temperature", "C"},
    {"gpu_temperature", "temperature", "C"},
    {"gpu_temp", "temperature", "C"},
    {"temperature", "temperature", "C"},
    {"temp", "temperature", "C"},
    {"temperature_memory", "memory_temperature", "C"},
    {"memory_temperature", "memory_temperature", "C"},
    {"memory_temp", "memory_temperature", "C"},
    {"mem_temp", "memory_temperature", "C"},
    {"temperature_gpu_tlimit", "temperature_headroom", "C"},
    {"power_draw", "power", "W"},
    {"power_usage", "power", "W"},
    {"gpu_power", "power", "W"},
    {"power", "power", "W"},
    {"power_draw_average", "power_average", "W"},
    {"power_draw_instant", "power_instant", "W"},
    {"power_limit", "power_limit", "W"},
    {"enforced_power_limit", "enforced_power_limit", "W"},
    {"clocks_sm", "sm_clock", "MHz"},
    {"clocks_current_sm", "sm_clock", "MHz"},
    {"sm_clock", "sm_clock", "MHz"},
    {"clock_sm", "sm_clock", "MHz"},
    {"clocks_gr", "graphics_clock", "MHz"},
    {"clocks_current_graphics", "graphics_clock", "MHz"},
    {"graphics_clock", "graphics_clock", "MHz"},
    {"gpu_clock", "graphics_clock", "MHz"},
    {"clocks_mem", "memory_clock", "MHz"},
    {"clocks_current_memory", "memory_clock", "MHz"},
    {"memory_clock", "memory_clock", "MHz"},
    {"mem_clock", "memory_clock", "MHz"},
    {"clocks_video", "video_clock", "MHz"},
    {"clocks_current_video", "video_clock", "MHz"},
    {"clocks_max_sm", "sm_clock_limit", "MHz"},
    {"clocks_max_graphics", "graphics_clock_limit", "MHz"},
    {"clocks_max_memory", "memory_clock_limit", "MHz"},
    {"memory_used", "memory_used", "MiB"},
    {"mem_used", "memory_used", "MiB"},
    {"used_memory", "memory_used", "MiB"},
    {"memory_free", "memory_free", "MiB"},
    {"mem_free", "memory_free", "MiB"},
    {"memory_total", "memory_total", "MiB"},
    {"mem_total", "memory_total", "MiB"},
    {"memory_reserved", "memory_reserved", "MiB"},
    {"fan_speed", "fan_speed", "%"},
    {"pstate", "performance_state", "count", Role::kMeasure, NumberStyle::kPerformanceState},
    {"pcie_link_gen_current", "pcie_link_generation", "count"},
    {"pcie_link_gen_max", "pcie_link_generation_max", "count"},
    {"pcie_link_width_current", "pcie_link_width", "count"},
    {"pcie_link_width_max", "pcie_link_width_max", "count"},
    {"clocks_event_reasons_active", "clocks_event_reasons", "count", Role::kMeasure,
     NumberStyle::kBits},
    {"clocks_throttle_reasons_active", "clocks_event_reasons", "count", Role::kMeasure,
     NumberStyle::kBits},
    {"name", "", "", Role::kGpuName},
    {"gpu_name", "", "", Role::kGpuName},
    {"compute_cap", "", "", Role::kComputeCapability},
    {"count", "", "", Role::kText},
};

// Columns of any file.
constexpr KnownColumn kCommonColumns[] = {
    {"timestamp", "", "", Role::kTime},
    {"time", "", "", Role::kTime},
    {"datetime", "", "", Role::kTime},
    {"date_time", "", "", Role::kTime},
    {"unix_time", "", "", Role::kTime},
    {"unix_timestamp", "", "", Role::kTime},
    {"epoch", "", "", Role::kTime},
    {"ts", "", "", Role::kTime},
    {"elapsed", "", "", Role::kTime},
    {"elapsed_time", "", "", Role::kTime},
    {"date", "", "", Role::kDate},
    {"gpu", "", "", Role::kIndex},
    {"index", "", "", Role::kIndex},
    {"gpu_index", "", "", Role::kIndex},
    {"gpu_id", "", "", Role::kIndex},
    {"device", "", "", Role::kIndex},
    {"device_index", "", "", Role::kIndex},
    {"device_id", "", "", Role::kIndex},
    {"uuid", "", "", Role::kUuid},
    {"gpu_uuid", "", "", Role::kUuid},
    {"pci_bus_id", "", "", Role::kBusId},
    {"gpu_bus_id", "", "", Role::kBusId},
    {"hostname", "", "", Role::kHost},
    {"host", "", "", Role::kHost},
    {"driver_version", "", "", Role::kDriver},
    {"pid", "", "", Role::kProcess},
    {"serial", "", "", Role::kText},
    {"gpu_serial", "", "", Role::kText},
    {"vbios_version", "", "", Role::kText},
    {"kmd_version", "", "", Role::kText},
};

// nvidia-smi dmon. `sm` is what NVML calls GPU utilization; its MB are MiB.
constexpr KnownColumn kDmonColumns[] = {
    {"pwr", "power", "W"},
    {"gtemp", "temperature", "C"},
    {"temp", "temperature", "C"},
    {"mtemp", "memory_temperature", "C"},
    {"sm", "utilization", "%"},
    {"mem", "memory_utilization", "%"},
    {"enc", "encoder_utilization", "%"},
    {"dec", "decoder_utilization", "%"},
    {"jpg", "jpeg_utilization", "%"},
    {"ofa", "ofa_utilization", "%"},
    {"mclk", "memory_clock", "MHz"},
    {"pclk", "sm_clock", "MHz"},
    {"fb", "memory_used", "MiB"},
    {"bar1", "bar1_used", "MiB"},
    {"ccpm", "protected_memory_used", "MiB"},
    {"pviol", "power_violation", "%"},
    {"tviol", "thermal_violation", "count"},
    {"sbecc", "ecc_single_bit", "count"},
    {"dbecc", "ecc_double_bit", "count"},
    {"pci", "pcie_replay", "count"},
    {"rxpci", "pcie_receive", "MB/s"},
    {"txpci", "pcie_transmit", "MB/s"},
};

// dcgmi dmon: short names of DCGM's fields.
constexpr KnownColumn kDcgmColumns[] = {
    {"entity", "", "", Role::kEntity},     {"gract", "graphics_active", "ratio"},
    {"smact", "sm_active", "ratio"},       {"smocc", "sm_occupancy", "ratio"},
    {"tenso", "tensor_active", "ratio"},   {"drama", "dram_active", "ratio"},
    {"fp64a", "fp64_active", "ratio"},     {"fp32a", "fp32_active", "ratio"},
    {"fp16a", "fp16_active", "ratio"},     {"pcitx", "pcie_transmit", "B/s"},
    {"pcirx", "pcie_receive", "B/s"},      {"nvltx", "nvlink_transmit", "B/s"},
    {"nvlrx", "nvlink_receive", "B/s"},    {"gputl", "utilization", "%"},
    {"mcutl", "memory_utilization", "%"},  {"ecutl", "encoder_utilization", "%"},
    {"dcutl", "decoder_utilization", "%"}, {"tmptr", "temperature", "C"},
    {"mmtmp", "memory_temperature", "C"},  {"power", "power", "W"},
    {"powinst", "power_instant", "W"},     {"totec", "energy", "mJ"},
    {"smclk", "sm_clock", "MHz"},          {"mmclk", "memory_clock", "MHz"},
    {"fbttl", "memory_total", "MiB"},      {"fbfre", "memory_free", "MiB"},
    {"fbusd", "memory_used", "MiB"},       {"pstat", "performance_state", "count"},
};

// amd-smi metric and monitor. What it calls MB are MiB.
constexpr KnownColumn kAmdColumns[] = {
    {"gfx_activity", "utilization", "%"},
    {"gfx_usage", "utilization", "%"},
    {"umc_activity", "memory_utilization", "%"},
    {"mem_usage", "memory_utilization", "%"},
    {"mm_activity", "multimedia_utilization", "%"},
    {"mm_usage_list", "multimedia_utilization", "%"},
    {"vcn_activity", "vcn_utilization", "%"},
    {"jpeg_activity", "jpeg_utilization", "%"},
    {"socket_power", "power", "W"},
    {"gfx_voltage", "graphics_voltage", "mV"},
    {"soc_voltage", "soc_voltage", "mV"},
    {"mem_voltage", "memory_voltage", "mV"},
    {"gfx_cur_clk", "graphics_clock", "MHz"},
    {"mem_cur_clk", "memory_clock", "MHz"},
    {"mem_0_clk", "memory_clock", "MHz"},
    {"edge", "temperature", "C"},
    {"hotspot", "hotspot_temperature", "C"},
    {"mem", "memory_temperature", "C"},
    {"width", "pcie_link_width", "count"},
    {"speed", "pcie_link_speed_gt", "count"},
    {"bandwidth", "pcie_bandwidth", "Mb/s"},
    {"current_bandwidth_sent", "pcie_transmit", "Mb/s"},
    {"current_bandwidth_received", "pcie_receive", "Mb/s"},
    {"replay_count", "pcie_replay", "count"},
    {"usage", "fan_speed", "%"},
    {"rpm", "fan_rpm", "count"},
    {"max", "fan_speed_max", "count"},
    {"throttle_status", "throttled", "count"},
    {"total_energy_consumption", "energy", "J"},
    {"total_vram", "memory_total", "MiB"},
    {"used_vram", "memory_used", "MiB"},
    {"free_vram", "memory_free", "MiB"},
    {"fb_total", "memory_total", "MiB"},
    {"fb_used", "memory_used", "MiB"},
    {"total_visible_vram", "visible_memory_total", "MiB"},
    {"used_visible_vram", "visible_memory_used", "MiB"},
    {"free_visible_vram", "visible_memory_free", "MiB"},
    {"total_gtt", "host_memory_total", "MiB"},
    {"used_gtt", "host_memory_used", "MiB"},
    {"free_gtt", "host_memory_free", "MiB"},
};

// Identities and settings of nvidia-smi: numbers or not, they measure nothing.
constexpr std::string_view kTextPrefixes[] = {"pci_",    "inforom_", "platform_",
                                              "fabric_", "vgpu_",    "accounting_"};

std::span<const KnownColumn> WordsOf(Tool tool) {
  switch (tool) {
    case Tool::kNvidiaDmon:
      return kDmonColumns;
    case Tool::kDcgmiDmon:
      return kDcgmColumns;
    case Tool::kAmdSmi:
      return kAmdColumns;
    case Tool::kNvidiaQuery:
    case Tool::kScript:
    case Tool::kUnknown:
      break;
  }
  return kQueryColumns;
}

const KnownColumn* FindKey(std::span<const KnownColumn> columns, std::string_view key) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const KnownColumn& known) { return known.key == key; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace

std::string_view ToolName(Tool tool) {
  switch (tool) {
    case Tool::kNvidiaQuery:
      return "nvidia-smi --query-gpu";
    case Tool::kNvidiaDmon:
      return "nvidia-smi dmon";
    case Tool::kDcgmiDmon:
      return "dcgmi dmon";
    case Tool::kAmdSmi:
      return "amd-smi";
    case Tool::kScript:
    case Tool::kUnknown:
      break;
  }
  return "";
}

const KnownColumn* FindKnownColumn(Tool tool, std::string_view key) {
  static constexpr KnownColumn kPlainText{"", "", "", Role::kText};
  if (const KnownColumn* known = FindKey(WordsOf(tool), key)) return known;
  if (const KnownColumn* known = FindKey(kCommonColumns, key)) return known;
  if (tool == Tool::kAmdSmi) return FindKey(kQueryColumns, key);
  if (tool != Tool::kNvidiaQuery) return nullptr;
  const bool is_text =
      std::any_of(std::begin(kTextPrefixes), std::end(kTextPrefixes),
                  [&](std::string_view prefix) { return key.starts_with(prefix); });
  return is_text ? &kPlainText : nullptr;
}

bool IsWordOf(Tool tool, std::string_view key) {
  return FindKey(WordsOf(tool), key) != nullptr;
}

std::string NormalizeName(std::string_view text) {
  std::string name;
  for (const char raw : text) {
    const char c = ToLowerAscii(raw);
    const bool is_word = IsDigit(c) || (c >= 'a' && c <= 'z');
    if (is_word) name += c;
    if (!is_word && !name.empty() && name.back() != '_') name += '_';
    if (name.size() == kNameLimit) break;
  }
  while (name.ends_with('_'))
    name.pop_back();
  return name;
}

}  // namespace gpuwhy::telemetry
