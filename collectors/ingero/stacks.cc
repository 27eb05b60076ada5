// SPDX-License-Identifier: Apache-2.0
#include "collectors/ingero/stacks.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "collectors/demangle.h"
#include "collectors/ingero/losses.h"

namespace gpuwhy::ingero {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxFrames = 1024;  // Ingero keeps 64 native and 16 or more Python frames

std::string_view TextOf(const Json& frame, const char* key) {
  const auto it = frame.find(key);
  if (it == frame.end() || !it->is_string()) return {};
  return it->get_ref<const std::string&>();
}

std::optional<int64_t> LineOf(const Json& frame, const char* key) {
  const auto it = frame.find(key);
  if (it == frame.end() || !it->is_number_integer()) return std::nullopt;
  return it->get<int64_t>();
}

// "name+0x1a" -> "name": the offset would make one function many.
std::string_view WithoutOffset(std::string_view symbol) {
  const size_t plus = symbol.rfind("+0x");
  const bool is_offset =
      plus != std::string_view::npos &&
      symbol.find_first_not_of("0123456789abcdefABCDEF", plus + 3) == std::string_view::npos;
  return is_offset ? symbol.substr(0, plus) : symbol;
}

int64_t InternNative(const Json& frame, Recorder& recorder) {
  const std::string symbol = Demangle(WithoutOffset(TextOf(frame, "s")));
  return recorder.InternFrame({.kind = "native",
                               .function_name = symbol.empty() ? TextOf(frame, "i") : symbol,
                               .module = TextOf(frame, "f"),
                               .file = {},
                               .line = LineOf(frame, "l")});
}

int64_t InternPython(const Json& frame, Recorder& recorder) {
  return recorder.InternFrame({.kind = "python",
                               .function_name = TextOf(frame, "pfn"),
                               .module = {},
                               .file = TextOf(frame, "pf"),
                               .line = LineOf(frame, "pl")});
}

int64_t InternAddress(const Json& address, Recorder& recorder) {
  return recorder.InternFrame({.kind = "native",
                               .function_name = address.get_ref<const std::string&>(),
                               .module = {},
                               .file = {},
                               .line = {}});
}

}  // namespace

OptionalId Stacks::Convert(std::string_view frames_json, int64_t time_ns) {
  const Json frames = Json::parse(frames_json, nullptr, false);
  if (!frames.is_array() || frames.size() > kMaxFrames) {
    recorder_.Count(kStackDamaged, 1, time_ns, frames_json);
    return std::nullopt;
  }
  std::vector<int64_t> python;
  std::vector<int64_t> native;
  for (const Json& frame : frames) {
    if (frame.is_string()) {
      native.push_back(InternAddress(frame, recorder_));
    } else if (frame.is_object() && frame.contains("pfn")) {
      python.push_back(InternPython(frame, recorder_));
    } else if (frame.is_object()) {
      native.push_back(InternNative(frame, recorder_));
    } else {
      recorder_.Count(kStackDamaged, 1, time_ns, frames_json);
      return std::nullopt;
    }
  }
  std::vector<int64_t> outermost_first(python.rbegin(), python.rend());
  outermost_first.insert(outermost_first.end(), native.rbegin(), native.rend());
  const int64_t callsite = recorder_.InternCallsite(outermost_first);
  return callsite == 0 ? OptionalId() : callsite;
}

OptionalId Stacks::CallsiteOfAddresses(std::string_view ips_json, int64_t time_ns) {
  return ips_json.empty() ? std::nullopt : Convert(ips_json, time_ns);
}

Result<OptionalId> Stacks::CallsiteOf(int64_t hash, int64_t time_ns) {
  if (hash == 0) return OptionalId();
  if (const auto it = callsites_.find(hash); it != callsites_.end()) {
    if (!it->second) recorder_.Count(kStackMissing, 1, time_ns);
    return it->second;
  }
  std::optional<std::string> frames;
  if (file_.Has("stack_traces", "frames") && file_.Has("stack_traces", "ips")) {
    // Frames are empty while symbols are unresolved; the addresses are then all there is.
    GPUWHY_RETURN_IF_ERROR(
        file_.db().Query("SELECT iif(frames = '', ips, frames) FROM stack_traces WHERE hash = ?1",
                         {hash}, [&](const Row& row) { frames = row.Text(0); }));
  }
  const bool is_missing = !frames || frames->empty();
  const OptionalId callsite = is_missing ? OptionalId() : Convert(*frames, time_ns);
  if (is_missing) recorder_.Count(kStackMissing, 1, time_ns);
  callsites_.emplace(hash, callsite);
  return callsite;
}

}  // namespace gpuwhy::ingero
