// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/completions.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "prompts/prompts.h"
#include "schema/base/text.h"
#include "server/mcp/uri.h"

namespace gpuwhy::mcp {
namespace {

constexpr int kNoMatch = 3;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return lower;
}

bool HasLettersInOrder(std::string_view text, std::string_view letters) {
  for (const char c : text) {
    if (!letters.empty() && letters.front() == c) letters.remove_prefix(1);
  }
  return letters.empty();
}

int Rank(std::string_view candidate, std::string_view typed) {
  if (candidate.starts_with(typed)) return 0;
  if (candidate.find(typed) != std::string_view::npos) return 1;
  return HasLettersInOrder(candidate, typed) ? 2 : kNoMatch;
}

// Empty when the trace cannot be read: a completion is a help, not an answer.
std::vector<std::string> ProcessNames(const McpOptions& options, const std::string& trace,
                                      const std::stop_token& stop) {
  std::vector<std::string> names;
  const auto lease = options.traces->Borrow(trace, stop);
  if (!lease.ok()) return names;
  const Status status = lease.value().db().Query(
      "SELECT DISTINCT name FROM process WHERE name IS NOT NULL ORDER BY name LIMIT 1000", {},
      [&](const Row& row) { names.push_back(CleanText(row.Text(0))); });
  if (!status.ok()) names.clear();
  return names;
}

std::vector<std::string> DetectorNames(const McpOptions& options) {
  std::vector<std::string> names;
  for (const Detector& detector : options.detectors)
    names.emplace_back(detector.name);
  return names;
}

// Whether `ref` names something we have that has this argument.
bool IsKnown(const Json& ref, const std::string& argument) {
  const std::string* type = StringMember(ref, "type");
  if (type == nullptr) return false;
  if (*type == "ref/resource") {
    const std::string* uri = StringMember(ref, "uri");
    if (uri == nullptr) return false;
    const bool is_template =
        *uri == kOverviewTemplate || *uri == kFindingsTemplate || *uri == kFindingTemplate;
    return is_template && uri->find("{" + argument + "}") != std::string::npos;
  }
  const std::string* name = *type == "ref/prompt" ? StringMember(ref, "name") : nullptr;
  const Prompt* prompt = name == nullptr ? nullptr : FindPrompt(*name);
  if (prompt == nullptr) return false;
  return std::any_of(prompt->arguments.begin(), prompt->arguments.end(),
                     [&](const PromptArgument& a) { return a.name == argument; });
}

// The value of `trace` that was chosen before, if any.
std::string ChosenTrace(const Json& params) {
  const Json* context = ObjectMember(params, "context");
  const Json* chosen = context == nullptr ? nullptr : ObjectMember(*context, "arguments");
  const std::string* trace = chosen == nullptr ? nullptr : StringMember(*chosen, "trace");
  return trace == nullptr ? "" : *trace;
}

std::vector<std::string> Candidates(const McpOptions& options, const std::string& argument,
                                    const MethodCall& call) {
  if (argument == "trace" || argument == "name") return options.traces->Names();
  if (argument == "finding" || argument == "id") return DetectorNames(options);
  if (argument == "process") return ProcessNames(options, ChosenTrace(call.params), call.stop);
  return {};
}

}  // namespace

std::vector<std::string> RankCompletions(std::vector<std::string> candidates,
                                         std::string_view typed) {
  const std::string wanted = Lower(typed);
  std::vector<std::pair<int, std::string>> ranked;
  for (std::string& candidate : candidates) {
    const int rank = Rank(Lower(candidate), wanted);
    if (rank != kNoMatch) ranked.emplace_back(rank, std::move(candidate));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> values;
  values.reserve(ranked.size());
  for (auto& [rank, value] : ranked)
    values.push_back(std::move(value));
  return values;
}

Outcome Complete(const McpOptions& options, const MethodCall& call) {
  const Json* ref = ObjectMember(call.params, "ref");
  const Json* argument = ObjectMember(call.params, "argument");
  const std::string* name = argument == nullptr ? nullptr : StringMember(*argument, "name");
  const std::string* typed = argument == nullptr ? nullptr : StringMember(*argument, "value");
  if (ref == nullptr || name == nullptr || typed == nullptr) {
    return RpcError{.code = kInvalidParams,
                    .message = "params need ref, argument.name and argument.value"};
  }
  if (!IsKnown(*ref, *name)) {
    return RpcError{.code = kInvalidParams,
                    .message = "there is no such prompt, resource template or argument"};
  }
  std::vector<std::string> values = RankCompletions(Candidates(options, *name, call), *typed);
  const size_t total = values.size();
  if (total > kMaxCompletions) values.resize(kMaxCompletions);
  return Json{
      {"completion", {{"values", values}, {"total", total}, {"hasMore", total > kMaxCompletions}}}};
}

}  // namespace gpuwhy::mcp
