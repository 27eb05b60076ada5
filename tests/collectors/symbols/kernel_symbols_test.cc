// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/kernel_symbols.h"

#include "tests/catch.h"

namespace gpuwhy {
namespace {

TEST_CASE("kernel symbols: an address belongs to the function that starts before it", "[symbols]") {
  const auto symbols = KernelSymbols::Parse(
      "ffffffff81000100 T schedule\nffffffff81000100 t __pi_schedule\nffffffff81000200 t "
      "do_idle\nffffffff81000180 D data\n"
      "ffffffffc0001000 t nvidia_ioctl\t[nvidia]\n");

  const Frame frame = symbols.Resolve(0xffffffff81000110);
  CHECK(frame.is_known);
  CHECK(frame.function == "schedule");
  CHECK(frame.module == "kernel");
  CHECK(frame.offset_bytes == 0x10);
  CHECK(symbols.Resolve(0xffffffff81000200).function == "do_idle");
  CHECK(symbols.Resolve(0xffffffffc0001004).function == "nvidia_ioctl");
  CHECK(symbols.Resolve(0xffffffffc0001004).module == "[nvidia]");
}

TEST_CASE("kernel symbols: far from any function nothing is claimed", "[symbols]") {
  const auto symbols = KernelSymbols::Parse("ffffffff81000100 T schedule\n");
  const uint64_t address =
      GENERATE(as<uint64_t>(), 0, 0x1000, 0xffffffff810000ff, 0xffffffff81200100, UINT64_MAX);

  const Frame frame = symbols.Resolve(address);

  CHECK_FALSE(frame.is_known);
  CHECK(frame.module == "kernel");
  CHECK(frame.function.starts_with("0x"));
}

TEST_CASE("kernel symbols: addresses that the kernel hides are said to be hidden", "[symbols]") {
  const auto symbols = KernelSymbols::Parse("0000000000000000 T schedule\n0000000000000000 t x\n");

  CHECK(symbols.is_restricted());
  CHECK(symbols.size() == 0);
  CHECK_FALSE(symbols.Resolve(0xffffffff81000110).is_known);
  CHECK_FALSE(KernelSymbols::Parse("ffffffff81000100 T schedule\n").is_restricted());
}

TEST_CASE("kernel symbols: lines of another form are counted", "[symbols]") {
  const auto symbols = KernelSymbols::Parse("x\n\n1000 T\nffffffff81000100 T schedule");

  CHECK(symbols.skipped_line_count() == 3);
  CHECK(symbols.size() == 1);
}

TEST_CASE("kernel symbols: those of the running kernel are read, or said to be hidden",
          "[symbols]") {
  const auto symbols = KernelSymbols::Load();

  REQUIRE(symbols.ok());
  CHECK(symbols.value().is_restricted() == (symbols.value().size() == 0));
  CHECK(symbols.value().skipped_line_count() == 0);
}

}  // namespace
}  // namespace gpuwhy
