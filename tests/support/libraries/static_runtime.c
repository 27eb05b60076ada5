// SPDX-License-Identifier: Apache-2.0
// A program with the CUDA runtime linked in, not exported. Lives until its input ends.
#include <unistd.h>

__attribute__((visibility("hidden"), noinline)) int cudaLaunchKernel(void) {
  return (int)getpid();
}

int main(void) {
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  return cudaLaunchKernel() == 0;
}
