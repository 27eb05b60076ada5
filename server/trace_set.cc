// SPDX-License-Identifier: Apache-2.0
#include "server/trace_set.h"

namespace gpuwhy {}  // namespace gpuwhy
