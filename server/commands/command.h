// SPDX-License-Identifier: Apache-2.0
// One subcommand of the program: declared with CLI11, run after parsing. Answers come from the
// tools; a command only chooses them, renders them and picks the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

namespace gpuwhy {

// Exit codes of every command.
inline constexpr int kExitFine = 0;
inline constexpr int kExitFinding = 1;      // a finding of the severity asked for with --fail-on
inline constexpr int kExitUsage = 2;        // the command line is wrong
inline constexpr int kExitUnavailable = 3;  // cannot do it here: missing, damaged or foreign file

// Adds a subcommand to `app`; `run` gets the function that the chosen command wants to be run.
using RunFunction = std::function<int()>;
void AddExplain(CLI::App& app, RunFunction& run);
void AddStats(CLI::App& app, RunFunction& run);
void AddQuery(CLI::App& app, RunFunction& run);
void AddTrace(CLI::App& app, RunFunction& run);
void AddImport(CLI::App& app, RunFunction& run);
void AddMcp(CLI::App& app, RunFunction& run);
void AddCheck(CLI::App& app, RunFunction& run);
void AddVersion(CLI::App& app, RunFunction& run);

}  // namespace gpuwhy
