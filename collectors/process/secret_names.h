// SPDX-License-Identifier: Apache-2.0
// Which options, settings and headers have a value that is a secret. Pure function, any thread.
#pragma once

#include <string_view>

namespace gpuwhy {

// True for names whose value is a secret: "--hf-token", "AWS_SECRET_ACCESS_KEY", "apiKey",
// "Authorization". Not for "--max-tokens", "--tokenizer", "--token-file".
bool IsSecretName(std::string_view name);

}  // namespace gpuwhy
