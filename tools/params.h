// SPDX-License-Identifier: Apache-2.0
// Parameters of a tool are declared once as data; the JSON schema, the validation, the
// documentation and the leniency towards small models ("5" for 5, "true" for true) all come from
// the declaration.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/base/result.h"
#include "tools/json_fwd.h"

namespace gpuwhy {

enum class ParamType { kString, kInteger, kBoolean };

struct Param {
  std::string_view name;
  ParamType type = ParamType::kString;
  std::string_view description;
  bool is_required = false;
  std::vector<std::string_view> choices;  // for kString: the values allowed
  std::optional<int64_t> default_int;
  std::optional<int64_t> min;
  std::optional<int64_t> max;
};

using ParamValue = std::variant<std::string, int64_t, bool>;

// Validated values. Asking for a parameter that was not declared is a programmer error.
class Params {
 public:
  bool Has(std::string_view name) const { return values_.contains(name); }
  std::string Text(std::string_view name) const;  // "" when absent
  int64_t Int(std::string_view name) const;       // 0 when absent and without default
  bool Flag(std::string_view name) const;         // false when absent

  // Checks `arguments` (an object, or null for none) against the declaration. Unknown names, wrong
  // types and values out of range are kInvalidArgument with the valid ones named.
  static Result<Params> Parse(std::span<const Param> declared, const Json& arguments);

 private:
  std::map<std::string, ParamValue, std::less<>> values_;
};

// {"type":"object","properties":{...},"required":[...],"additionalProperties":false}
Json InputSchema(std::span<const Param> declared);

// The parameters many tools share.
Param TraceParam();  // which open trace; used by the server, not by tools
Param SinceParam();
Param UntilParam();
Param ProcessParam();
Param FormatParam();  // text or json; used by the server, not by tools
Param LimitParam(int64_t default_limit, int64_t max);

}  // namespace gpuwhy
