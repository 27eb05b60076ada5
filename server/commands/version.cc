// SPDX-License-Identifier: Apache-2.0
#include "server/version.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "schema/trace_db.h"
#include "server/commands/command.h"

namespace gpuwhy {

void AddVersion(CLI::App& app, RunFunction& run) {
  app.add_subcommand("version", "Print the version")->callback([&run] {
    run = [] {
      fmt::print("gpuwhy {} (trace schema {}, SQLite {})\n", kVersion, kSchemaVersion,
                 sqlite3_libversion());
      return kExitFine;
    };
  });
}

}  // namespace gpuwhy
