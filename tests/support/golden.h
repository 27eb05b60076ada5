// SPDX-License-Identifier: Apache-2.0
// Golden files: what a tool says, kept in tests/golden/ and compared byte by byte.
// GPUWHY_UPDATE_GOLDEN=1 rewrites them; a missing file is a failure, so that none is forgotten.
#pragma once

#include <string>
#include <string_view>

namespace gpuwhy {

// `path` is relative to tests/golden and has its extension, for example "schema/run_sql.json".
void CheckGolden(const std::string& path, std::string_view text);

}  // namespace gpuwhy
