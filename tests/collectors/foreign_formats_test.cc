// SPDX-License-Identifier: Apache-2.0
#include "collectors/foreign_formats.h"

#include "tests/catch.h"
#include "tests/support/imported_text.h"

using gpuwhy::FileHead;
using gpuwhy::HowToConvert;
using namespace std::string_literals;

namespace {

std::string AdviceFor(const std::string& path, const std::string& text) {
  return HowToConvert(FileHead{.path = path, .size_bytes = text.size(), .raw = text, .text = text});
}

}  // namespace

TEST_CASE("foreign formats: each names the command that converts it", "[perf]") {
  CHECK(AdviceFor("perf.data", "PERFILE2\x68\0"s) ==
        "is a recording of perf: run perf script -i perf.data > perf.data.txt and import that");
  CHECK(AdviceFor("a.data", "2ELIFREP\0"s).find("perf script -i a.data") != std::string::npos);
  CHECK(AdviceFor("a.ncu-rep", "NVR\0\2\0"s) ==
        "is a report of Nsight Compute: run ncu --import a.ncu-rep --csv --page raw > "
        "a.ncu-rep.csv and import that");
  CHECK(AdviceFor("a.nsys-rep", "anything") ==
        "is a report of Nsight Systems: run nsys export --type sqlite a.nsys-rep and import that");
  CHECK(AdviceFor("a.qdrep", "x").find("nsys export --type sqlite a.qdrep") != std::string::npos);
  CHECK(AdviceFor("a.qdstrm", "x").find("QdstrmImporter -i a.qdstrm") != std::string::npos);
  CHECK(AdviceFor("a.zip", "PK\x03\x04\x14\0"s) ==
        "is a zip archive: run unzip a.zip first and import what is in it");
  CHECK(AdviceFor("a.txt",
                  "\xFF\xFE"
                  "a\0"s)
            .find("iconv -f UTF-16") != std::string::npos);
  CHECK(AdviceFor("a.txt", "\xFE\xFF\0a"s).find("iconv -f UTF-16") != std::string::npos);
  CHECK(AdviceFor("a.txt", "NVRAM").empty());
}

TEST_CASE("foreign formats: a name is one word of the command", "[perf]") {
  CHECK(AdviceFor("my file; rm.zip", "PK\x03\x04").find("unzip 'my file; rm.zip' first") !=
        std::string::npos);
  CHECK(AdviceFor("it's.zip", "PK\x03\x04").find("unzip 'it'\\''s.zip' first") !=
        std::string::npos);
  CHECK(AdviceFor("{0}{.zip", "PK\x03\x04").find("unzip '{0}{.zip' first") != std::string::npos);
}

TEST_CASE("foreign formats: the import says it", "[perf]") {
  const auto text = gpuwhy::ImportText("PERFILE2\x68\0\0"s, "perf.data");
  REQUIRE_FALSE(text.report.ok());
  CHECK(text.report.error().message.find("is a recording of perf: run perf script -i ") !=
        std::string::npos);
}
