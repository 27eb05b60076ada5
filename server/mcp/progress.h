// SPDX-License-Identifier: Apache-2.0
// Turns what a method says about its progress into notifications, when the request asked for them
// with a token: values rise strictly, and at most ten a second go out. One thread a call.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "server/mcp/call.h"

namespace gpuwhy::mcp {

// Empty when `params` has no usable progressToken.
std::function<void(double fraction, std::string_view doing)> ProgressReporter(
    const Json& params, const std::shared_ptr<Call>& call);

}  // namespace gpuwhy::mcp
