// SPDX-License-Identifier: Apache-2.0
// Marks what libsimgpu.so offers to the libraries around it; everything else is hidden.
#pragma once

#define SIMGPU_SHARED __attribute__((visibility("default")))
