// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

int main() {
  return std::puts("gpuwhy") < 0 ? 1 : 0;
}
