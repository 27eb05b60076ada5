// SPDX-License-Identifier: Apache-2.0
// Writes small Ingero databases in each layout, for tests.
#pragma once

#include <string>

namespace gpuwhy {

enum class IngeroLayout {
  k08,        // numeric ids
  k09,        // text ids, node and rank
  kHead,      // and comm, 5 s aggregates, annotations
  kMigrated,  // 0.8 altered in place by a newer program: its columns, but numeric ids
};

class IngeroFile {
 public:
  IngeroFile(const std::string& path, IngeroLayout layout);

  // `columns` is what follows INSERT INTO events: "(timestamp, ...) VALUES (...)". Text ids need id
  // and node among them.
  void AddEvent(const std::string& columns) const { Execute("INSERT INTO events " + columns); }
  void Execute(const std::string& sql) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace gpuwhy
