// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/address_space.h"

#include "tests/catch.h"

namespace gpuwhy {
namespace {

std::shared_ptr<SymbolModule> Named(const std::string& name) {
  return std::make_shared<SymbolModule>(name, "");
}

std::string NameAt(const AddressSpace& space, uint64_t address) {
  const CodeRange* range = space.Find(address);
  return range == nullptr ? "" : range->module->name();
}

TEST_CASE("address space: an address is in the range that holds it", "[symbols]") {
  AddressSpace space;
  space.Put({0x1000, 0x2000, 0, Named("a")});
  space.Put({0x3000, 0x4000, 0, Named("b")});

  CHECK(NameAt(space, 0x0fff).empty());
  CHECK(NameAt(space, 0x1000) == "a");
  CHECK(NameAt(space, 0x1fff) == "a");
  CHECK(NameAt(space, 0x2000).empty());
  CHECK(NameAt(space, 0x3000) == "b");
  CHECK(NameAt(space, UINT64_MAX).empty());
}

TEST_CASE("address space: a later range covers, cuts and splits what was there", "[symbols]") {
  AddressSpace space;
  space.Put({0x1000, 0x5000, 0x100, Named("old")});
  space.Put({0x6000, 0x7000, 0, Named("covered")});
  space.Put({0x2000, 0x3000, 0, Named("middle")});
  space.Put({0x4800, 0x8000, 0, Named("end")});

  CHECK(NameAt(space, 0x1fff) == "old");
  CHECK(NameAt(space, 0x2000) == "middle");
  CHECK(NameAt(space, 0x3000) == "old");
  CHECK(space.Find(0x3000)->file_offset == 0x2100);
  CHECK(NameAt(space, 0x4800) == "end");
  CHECK(NameAt(space, 0x6800) == "end");
  CHECK(space.size() == 4);
}

TEST_CASE("address space: the same snapshot again changes nothing", "[symbols]") {
  AddressSpace space;
  for (int round = 0; round < 3; ++round) {
    space.Put({0x1000, 0x2000, 0, Named("a")});
    space.Put({0x2000, 0x3000, 0, Named("b")});
  }

  CHECK(space.size() == 2);
}

}  // namespace
}  // namespace gpuwhy
