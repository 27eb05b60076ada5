// SPDX-License-Identifier: Apache-2.0
// Line tables: literal bytes, and every instruction of library modules against the interpreter.
#include "collectors/ebpf/python_lines.h"

#include <charconv>
#include <fstream>
#include <sstream>

#include "tests/catch.h"
#include "tests/support/shell_output.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

using Bytes = std::vector<uint8_t>;

// Prints, for each function of some modules: first line, table in hexadecimal, lines of all
// instructions, 0 for none.
constexpr std::string_view kPrintTables = R"(
import argparse, ast, json.decoder, tarfile, types
def walk(code):
    lines = [p[0] or 0 for p in code.co_positions()]
    print(code.co_firstlineno, code.co_linetable.hex() or '-', len(lines), *lines)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType): walk(constant)
for module in argparse, ast, json.decoder, tarfile:
    with open(module.__file__) as source: walk(compile(source.read(), 'm', 'exec'))
)";

Bytes FromHex(const std::string& text) {
  Bytes bytes;
  for (size_t at = 0; at + 1 < text.size(); at += 2) {
    uint8_t byte = 0;
    std::from_chars(text.data() + at, text.data() + at + 2, byte, 16);
    bytes.push_back(byte);
  }
  return bytes;
}

// How many instructions have another line than the interpreter says.
int64_t CountWrong(std::istringstream& line, int64_t& instruction_count) {
  int64_t first_line = 0;
  int64_t count = 0;
  std::string table;
  line >> first_line >> table >> count;
  const Bytes bytes = FromHex(table);
  int64_t wrong_count = 0;
  for (int64_t at = 0; at < count; ++at) {
    int64_t expected = 0;
    line >> expected;
    wrong_count += PythonLineAt(bytes, first_line, 2 * at) == expected ? 0 : 1;
  }
  instruction_count += count;
  return wrong_count;
}

}  // namespace

TEST_CASE("python lines: each kind of entry moves the line as its format says", "[python]") {
  // Short form (0), 2 units; one line (11: +1), 1 unit; no columns (13: -1), 1 unit; long (14:
  // +70), 3 units; none (15), 1 unit; one line (10: +0), 1 unit.
  const Bytes table = {0x81, 0x00, 0xD8, 0x01, 0x02, 0xE8, 0x03, 0xF2, 0x4C,
                       0x02, 0x00, 0x01, 0x02, 0xF8, 0xD0, 0x05, 0x06};

  CHECK(PythonLineAt(table, 10, 0) == 10);
  CHECK(PythonLineAt(table, 10, 2) == 10);
  CHECK(PythonLineAt(table, 10, 4) == 11);
  CHECK(PythonLineAt(table, 10, 6) == 10);
  CHECK(PythonLineAt(table, 10, 8) == 80);
  CHECK(PythonLineAt(table, 10, 12) == 80);
  CHECK(PythonLineAt(table, 10, 14) == 0);
  CHECK(PythonLineAt(table, 10, 16) == 80);
}

TEST_CASE("python lines: nothing behind the end of a table", "[python]") {
  CHECK_FALSE(PythonLineAt(Bytes{0x80, 0x00}, 1, 2));
  CHECK_FALSE(PythonLineAt(Bytes{}, 1, 0));
}

TEST_CASE("python lines: a table that is cut gives its whole entries only", "[python]") {
  const Bytes table = {0x80, 0x00, 0xF0, 0x4C};

  CHECK(PythonLineAt(table, 5, 0) == 5);
  CHECK_FALSE(PythonLineAt(table, 5, 2));
}

TEST_CASE("python lines: damaged tables are refused", "[python]") {
  CHECK_FALSE(PythonLineAt(Bytes{0x00, 0x80}, 1, 0));        // no first byte
  CHECK_FALSE(PythonLineAt(Bytes{0xF0, 0x80, 0x00}, 1, 0));  // a new entry in a number
  CHECK_FALSE(PythonLineAt(Bytes{0xE8, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F}, 1, 0));  // no end
}

TEST_CASE("python lines: every instruction of library modules has the interpreter's line",
          "[python]") {
  const TempDir dir;
  std::ofstream(dir.File("tables.py")) << kPrintTables;
  const std::string tables = ShellOutput("python3 " + dir.File("tables.py"));
  if (tables.empty()) {
    WARN("skipped: python3 is not 3.11 or later");
    return;
  }

  int64_t wrong_count = 0;
  int64_t instruction_count = 0;
  std::istringstream text(tables);
  for (std::string line; std::getline(text, line);) {
    std::istringstream fields(line);
    wrong_count += CountWrong(fields, instruction_count);
  }

  CHECK(wrong_count == 0);
  CHECK(instruction_count > 10'000);
}

}  // namespace gpuwhy
