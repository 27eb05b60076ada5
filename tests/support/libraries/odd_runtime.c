// SPDX-License-Identifier: Apache-2.0
// A CUDA runtime of two functions for what a simulated GPU never does: a call that costs nothing,
// and a call inside which anything may happen. Tests copy the file to where they need it.
int cudaStreamQuery(void* stream) {
  return stream != 0;
}

int cudaLaunchHostFunc(void* stream, void (*function)(void*), void* argument) {
  function(argument);
  return stream != 0;
}
