// SPDX-License-Identifier: Apache-2.0
#include "collectors/demangle.h"

#include "tests/catch.h"

using gpuwhy::Demangle;

TEST_CASE("demangle: C++ names become readable and others stay as they are", "[collectors]") {
  CHECK(Demangle("_ZN2at6native9gpu_fill_EPfi") == "at::native::gpu_fill_(float*, int)");
  CHECK(Demangle("_ZN2at6nativeL9copy_implERNS_6TensorERKS1_b.isra.0") ==
        "at::native::copy_impl(at::Tensor&, at::Tensor const&, bool) [clone .isra.0]");
  CHECK(Demangle("cublasCreate_v2") == "cublasCreate_v2");
  CHECK(Demangle("_Z") == "_Z");
  CHECK(Demangle("_ZN\xff\x1b[31m") == "_ZN\xff\x1b[31m");
  CHECK(Demangle("").empty());
}

TEST_CASE("demangle: a short name that stands for gigabytes is left alone", "[collectors]") {
  // pair<pair<A, A>, pair<A, A>> and so on: each step doubles the text.
  std::string bomb = "_Z1f4pairI1AS0_E";
  for (const char id : std::string("123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    bomb += std::string("S_IS") + id + "_S" + id + "_E";
  }

  CHECK(Demangle(bomb) == bomb);
}

TEST_CASE("demangle: template parameters cannot blow up either", "[collectors]") {
  std::string inner = "i";
  for (int depth = 0; depth < 60; ++depth)
    inner = "XadL_Z1fI" + inner + "EvT_T_T_EE";
  const std::string bomb = "_Z1gI" + inner + "EvT_T_";

  CHECK(Demangle(bomb) == bomb);
}
