// SPDX-License-Identifier: Apache-2.0
// A library that holds the CUDA runtime and NCCL as libtorch_cuda.so may: exported functions, and a
// name that does not tell.
int cudaLaunchKernel(void) {
  return 1;
}
int ncclAllReduce(void) {
  return 2;
}
