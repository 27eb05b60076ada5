// SPDX-License-Identifier: Apache-2.0
// Files compiled into the binary by cmake/embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace gpuwhy {

struct EmbeddedFile {
  std::string_view name;  // file name without extension
  std::string_view text;
};

std::span<const EmbeddedFile> EmbeddedTables();
std::span<const EmbeddedFile> EmbeddedViews();
std::span<const EmbeddedFile> EmbeddedIndexes();
std::span<const EmbeddedFile> EmbeddedPrompts();

// The statement of an embedded .sql file: leading comment lines and the final semicolon removed, as
// SQLite stores it in sqlite_schema.
std::string_view StatementText(const EmbeddedFile& file);

}  // namespace gpuwhy
