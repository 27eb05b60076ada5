// SPDX-License-Identifier: Apache-2.0
#include "prompts/prompts.h"

namespace gpuwhy {

const std::vector<Prompt>& AllPrompts() {
  static const std::vector<Prompt> all;
  return all;
}

}  // namespace gpuwhy
