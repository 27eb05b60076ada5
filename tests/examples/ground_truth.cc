// SPDX-License-Identifier: Apache-2.0
#include "tests/examples/ground_truth.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "tests/catch.h"

namespace gpuwhy {
namespace {

std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, '\t');)
    fields.push_back(field);
  return fields;
}

int64_t Number(const std::string& field) {
  int64_t number = 0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, number);
  REQUIRE((error == std::errc() && stop == end));
  return number;
}

TrueCall ReadCall(const std::vector<std::string>& fields) {
  REQUIRE(fields.size() == 9);
  return {.tid = Number(fields[1]),
          .entry_ns = Number(fields[2]),
          .exit_ns = Number(fields[3]),
          .name = fields[4],
          .bytes = Number(fields[5]),
          .kind = fields[6],
          .stream = fields[7],
          .code = Number(fields[8])};
}

TrueOp ReadOp(const std::vector<std::string>& fields) {
  REQUIRE(fields.size() == 7);
  return {.engine = fields[1],
          .start_ns = Number(fields[2]),
          .end_ns = Number(fields[3]),
          .name = fields[4],
          .bytes = Number(fields[5]),
          .stream = fields[6]};
}

}  // namespace

GroundTruth ReadGroundTruth(const std::string& path, LastLine last_line) {
  std::ifstream file(path);
  REQUIRE(file.good());
  GroundTruth truth;
  for (std::string line; std::getline(file, line);) {
    if (file.eof() && last_line == LastLine::kMayBeCut) break;
    REQUIRE_FALSE(file.eof());
    const std::vector<std::string> fields = Fields(line);
    REQUIRE((fields.at(0) == "api" || fields.at(0) == "device"));
    if (fields[0] == "api") {
      truth.calls.push_back(ReadCall(fields));
    } else {
      truth.ops.push_back(ReadOp(fields));
    }
  }
  return truth;
}

std::vector<TrueCall> GroundTruth::CallsOf(std::string_view name) const {
  std::vector<TrueCall> found;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(found),
               [name](const TrueCall& call) { return call.name == name; });
  return found;
}

TrueCall GroundTruth::CallOf(std::string_view name) const {
  const std::vector<TrueCall> found = CallsOf(name);
  REQUIRE(found.size() == 1);
  return found.front();
}

TrueOp GroundTruth::OpOf(std::string_view name) const {
  const auto is_it = [name](const TrueOp& op) { return op.name == name; };
  REQUIRE(std::count_if(ops.begin(), ops.end(), is_it) == 1);
  return *std::find_if(ops.begin(), ops.end(), is_it);
}

double GroundTruth::ComputeIdleShare() const {
  int64_t busy_ns = 0;
  int64_t first_ns = INT64_MAX;
  int64_t last_ns = 0;
  for (const TrueOp& op : ops) {
    if (op.engine != "compute") continue;
    busy_ns += op.end_ns - op.start_ns;
    first_ns = std::min(first_ns, op.start_ns);
    last_ns = std::max(last_ns, op.end_ns);
  }
  REQUIRE(busy_ns > 0);
  return 1 - static_cast<double>(busy_ns) / static_cast<double>(last_ns - first_ns);
}

}  // namespace gpuwhy
