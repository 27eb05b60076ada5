// SPDX-License-Identifier: Apache-2.0
// Rows of processes and threads, from the numbers in an Ingero database. Knows forks and exits, so
// that a pid used again is a new process. One per node of an import; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "collectors/ingero/owners.h"
#include "collectors/recorder.h"

namespace gpuwhy::ingero {

class Actors {
 public:
  Actors(Owners owners, Recorder& recorder) : owners_(std::move(owners)), recorder_(recorder) {}

  int64_t ProcessOf(int64_t pid);
  int64_t ThreadOf(int64_t pid, int64_t tid);
  // The thread of a number whose process the row does not say.
  int64_t ThreadOfTid(int64_t tid) { return ThreadOf(owners_.ProcessOf(tid), tid); }
  bool IsProcess(int64_t number) const { return owners_.IsProcess(number); }

  // Returns the thread row of the child.
  int64_t Fork(int64_t parent_pid, int64_t child, int64_t time_ns);
  void Exit(int64_t pid, int64_t tid, int64_t time_ns);

  // Names, ranks and containers of everything seen so far. Call once, after all rows.
  Status Describe(const SourceFile& file, std::string_view node);

 private:
  using Texts = std::unordered_map<int64_t, std::string>;

  Status ReadComms(const SourceFile& file, std::string_view node);
  Status ReadProcessNames(const SourceFile& file);
  Status ReadContainers(const SourceFile& file, std::string_view node);
  Status ReadRanks(const SourceFile& file, std::string_view node);
  void Write();
  std::string NameOfProcess(int64_t process_id) const;

  struct Thread {
    int64_t process_id;
    int64_t tid;
  };

  Owners owners_;
  Recorder& recorder_;
  std::map<int64_t, int64_t> pids_;             // process row -> pid
  std::map<int64_t, int64_t> parents_;          // process row -> process row
  std::map<int64_t, Thread> threads_;           // thread row ->
  std::unordered_set<int64_t> exited_;          // numbers that exited and were not made again
  Texts names_;                                 // number -> name
  Texts containers_;                            // pid -> container
  std::unordered_map<int64_t, int64_t> ranks_;  // pid -> rank
};

}  // namespace gpuwhy::ingero
