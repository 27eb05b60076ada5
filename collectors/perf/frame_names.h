// SPDX-License-Identifier: Apache-2.0
// What kind of function a frame is, by its module, its address and the marks that profilers put in
// names. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "schema/rows.h"

namespace gpuwhy::perf {

// Whether perf's module is the kernel or one of its modules: "[kernel.kallsyms]", "[nvidia]",
// "/lib/modules/6.1/nvidia.ko.xz". The address decides where the module does not tell.
bool IsKernelModule(std::string_view module, uint64_t address);

// A Python function as CPython's perf support names it, "py::train:/srv/train.py", or as py-spy
// does, "train (train.py:17)"; kind is empty for anything else. The views are into `symbol`.
FrameRow PythonFrame(std::string_view symbol);

}  // namespace gpuwhy::perf
