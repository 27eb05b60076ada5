// SPDX-License-Identifier: Apache-2.0
// Catch2's own main loop, compiled once for all test programs.
#pragma once

namespace gpuwhy {

int RunCatch(int argc, char** argv);

}  // namespace gpuwhy
