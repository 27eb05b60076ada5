// SPDX-License-Identifier: Apache-2.0
#include "tools/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "schema/base/text.h"
#include "tools/json.h"

namespace gpuwhy {
namespace {

std::string_view JsonTypeName(ParamType type) {
  switch (type) {
    case ParamType::kString:
      return "string";
    case ParamType::kInteger:
      return "integer";
    case ParamType::kBoolean:
      return "boolean";
  }
  return "";
}

Error WrongValue(const Param& param, std::string_view wanted, const Json& given) {
  return InvalidArgument(
      fmt::format("{} must be {}, not {}", param.name, wanted, CleanText(DumpJson(given), 60)));
}

Result<ParamValue> ParseInteger(const Param& param, const Json& given) {
  int64_t value = 0;
  if (given.is_number_integer() &&
      !(given.is_number_unsigned() && given.get<uint64_t>() > INT64_MAX)) {
    value = given.get<int64_t>();
  } else if (given.is_string()) {
    const auto& text = given.get_ref<const std::string&>();
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) {
      return WrongValue(param, "an integer", given);
    }
  } else {
    return WrongValue(param, "an integer", given);
  }
  if ((param.min && value < *param.min) || (param.max && value > *param.max)) {
    return WrongValue(param,
                      fmt::format("between {} and {}", param.min.value_or(INT64_MIN),
                                  param.max.value_or(INT64_MAX)),
                      given);
  }
  return ParamValue(value);
}

Result<ParamValue> ParseString(const Param& param, const Json& given) {
  std::string text;
  if (given.is_string()) {
    text = given.get<std::string>();
  } else if (given.is_number()) {
    text = DumpJson(given);  // process=1234 and "1234" mean the same
  } else {
    return WrongValue(param, "a string", given);
  }
  const bool is_known =
      param.choices.empty() ||
      std::find(param.choices.begin(), param.choices.end(), text) != param.choices.end();
  if (!is_known)
    return WrongValue(param, fmt::format("one of {}", fmt::join(param.choices, ", ")), given);
  return ParamValue(std::move(text));
}

Result<ParamValue> ParseBoolean(const Param& param, const Json& given) {
  if (given.is_boolean()) return ParamValue(given.get<bool>());
  if (given == "true") return ParamValue(true);
  if (given == "false") return ParamValue(false);
  return WrongValue(param, "true or false", given);
}

Result<ParamValue> ParseValue(const Param& param, const Json& given) {
  switch (param.type) {
    case ParamType::kString:
      return ParseString(param, given);
    case ParamType::kInteger:
      return ParseInteger(param, given);
    case ParamType::kBoolean:
      return ParseBoolean(param, given);
  }
  return Internal("unknown parameter type");
}

Error UnknownParam(std::span<const Param> declared, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Param& param : declared)
    names.push_back(param.name);
  return InvalidArgument(fmt::format("there is no parameter {}; parameters are: {}",
                                     CleanText(name, 40), fmt::join(names, ", ")));
}

}  // namespace

std::string Params::Text(std::string_view name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? "" : std::get<std::string>(it->second);
}

int64_t Params::Int(std::string_view name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? 0 : std::get<int64_t>(it->second);
}

bool Params::Flag(std::string_view name) const {
  const auto it = values_.find(name);
  return it != values_.end() && std::get<bool>(it->second);
}

Result<Params> Params::Parse(std::span<const Param> declared, const Json& arguments) {
  Params params;
  if (!arguments.is_null() && !arguments.is_object()) {
    return InvalidArgument("arguments must be an object, for example {\"limit\": 5}");
  }
  for (const auto& entry : arguments.items()) {
    const auto it = std::find_if(declared.begin(), declared.end(),
                                 [&](const Param& param) { return param.name == entry.key(); });
    if (it == declared.end()) return UnknownParam(declared, entry.key());
    if (entry.value().is_null()) continue;
    GPUWHY_ASSIGN_OR_RETURN(params.values_[entry.key()], ParseValue(*it, entry.value()));
  }
  for (const Param& param : declared) {
    const std::string name(param.name);
    if (params.Has(name)) continue;
    if (param.is_required) {
      return InvalidArgument(fmt::format("{} is required: {}", name, param.description));
    }
    if (param.default_int) params.values_[name] = *param.default_int;
  }
  return params;
}

Json InputSchema(std::span<const Param> declared) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Param& param : declared) {
    Json entry = {{"type", JsonTypeName(param.type)}, {"description", param.description}};
    if (!param.choices.empty()) entry["enum"] = param.choices;
    if (param.default_int) entry["default"] = *param.default_int;
    if (param.min) entry["minimum"] = *param.min;
    if (param.max) entry["maximum"] = *param.max;
    properties[std::string(param.name)] = std::move(entry);
    if (param.is_required) required.push_back(param.name);
  }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

Param TraceParam() {
  return {.name = "trace",
          .description = "Which open trace, by name; needed when several are open."};
}
Param SinceParam() {
  return {.name = "since",
          .description = "Start: -5m before the end, 12.5s after the start, or a UTC time."};
}
Param UntilParam() {
  return {.name = "until", .description = "End, in the forms of since."};
}
Param ProcessParam() {
  return {.name = "process", .description = "Only this process: pid or name."};
}
Param FormatParam() {
  return {.name = "format", .description = "text (default) or json.", .choices = {"text", "json"}};
}
Param LimitParam(int64_t default_limit, int64_t max) {
  return {.name = "limit",
          .type = ParamType::kInteger,
          .description = "Rows to return.",
          .default_int = default_limit,
          .min = 1,
          .max = max};
}

}  // namespace gpuwhy
