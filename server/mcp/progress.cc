// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "schema/base/text.h"
#include "server/mcp/json_rpc.h"

namespace gpuwhy::mcp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kMinGap{100};
constexpr double kTotal = 100;

struct Reporter {
  std::shared_ptr<Call> call;
  Json token;
  double last_pct = -1;
  Clock::time_point last_sent;

  void operator()(double fraction, std::string_view doing) {
    const double pct = std::floor(std::clamp(fraction, 0.0, 1.0) * kTotal);
    const auto now = Clock::now();
    if (pct <= last_pct || (last_pct >= 0 && now - last_sent < kMinGap)) return;
    last_pct = pct;
    last_sent = now;
    Json params = {{"progressToken", token}, {"progress", pct}, {"total", kTotal}};
    if (!doing.empty()) params["message"] = CleanText(doing);
    call->Notify(NotificationText("notifications/progress", params));
  }
};

}  // namespace

std::function<void(double, std::string_view)> ProgressReporter(const Json& params,
                                                               const std::shared_ptr<Call>& call) {
  const Json* meta = ObjectMember(params, "_meta");
  if (meta == nullptr) return {};
  const auto token = meta->find("progressToken");
  if (token == meta->end() || !(token->is_string() || token->is_number_integer())) return {};
  return Reporter{.call = call, .token = *token, .last_sent = {}};
}

}  // namespace gpuwhy::mcp
