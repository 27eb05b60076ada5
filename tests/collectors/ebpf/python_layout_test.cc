// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/python_layout.h"

#include <cstring>

#include "tests/catch.h"

namespace gpuwhy {
namespace {

constexpr uint64_t k313 = 0x030d00f0;
constexpr uint64_t k314 = 0x030e0af0;

// The first words of _PyRuntime: each offset is its own index.
std::vector<uint64_t> Words(uint64_t version) {
  std::vector<uint64_t> words(kDebugOffsetWords);
  for (size_t at = 0; at < words.size(); ++at)
    words[at] = at;
  std::memcpy(words.data(), "xdebugpy", 8);
  words[1] = version;
  words[2] = 0;
  return words;
}

}  // namespace

TEST_CASE("python layout: 3.13 and 3.14 say themselves where things are", "[python]") {
  const auto of_313 = PythonLayoutOf(k313, Words(k313));
  const auto of_314 = PythonLayoutOf(k314, Words(k314));
  REQUIRE(of_313.ok());
  REQUIRE(of_314.ok());

  CHECK(of_313.value().threads_head == 9);
  CHECK(of_313.value().thread_frame == 23);
  CHECK(of_313.value().frame_owner == 33);
  CHECK(of_313.value().code_instructions == 43);
  CHECK(of_314.value().threads_head == 9);
  CHECK(of_314.value().thread_frame == 26);
  CHECK(of_314.value().frame_owner == 36);
  CHECK(of_314.value().code_instructions == 48);
}

TEST_CASE("python layout: 3.11 and 3.12 are known", "[python]") {
  CHECK(PythonLayoutOf(0x030b07f0, {}).ok());
  CHECK(PythonLayoutOf(0x030c01f0, {}).ok());
}

TEST_CASE("python layout: other versions are refused by number", "[python]") {
  CHECK(PythonLayoutOf(0x030a00f0, {}).error().message.find("3.10") != std::string::npos);
  CHECK(PythonLayoutOf(0x030f00f0, {}).error().message.find("3.15") != std::string::npos);
}

TEST_CASE("python layout: builds without the global lock are refused", "[python]") {
  std::vector<uint64_t> words = Words(k314);
  words[2] = 1;

  const auto layout = PythonLayoutOf(k314, words);

  REQUIRE_FALSE(layout.ok());
  CHECK(layout.error().message.find("free-threaded") != std::string::npos);
}

TEST_CASE("python layout: offsets that cannot be are refused", "[python]") {
  std::vector<uint64_t> words = Words(k313);
  words[33] = 4096;  // owner of a frame
  CHECK_FALSE(PythonLayoutOf(k313, words).ok());
  CHECK_FALSE(PythonLayoutOf(k313, Words(k314)).ok());
  CHECK_FALSE(PythonLayoutOf(k313, std::vector<uint64_t>(kDebugOffsetWords)).ok());
  CHECK_FALSE(PythonLayoutOf(k313, {}).ok());
}

}  // namespace gpuwhy
