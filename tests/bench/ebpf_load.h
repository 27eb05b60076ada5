// SPDX-License-Identifier: Apache-2.0
// Processes that a recorder is measured with. Each is forked, makes its load when told to, and
// tells its numbers at the end. Loads use a runtime whose calls cost nothing, so what is measured
// is the recorder.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpuwhy::bench {

struct CallRuntime {
  int (*stream_query)(void*) = nullptr;
  static CallRuntime Load(const std::string& library);
};

class LoadProcess {
 public:
  using Body = std::function<std::vector<double>(const CallRuntime&)>;
  LoadProcess(const std::string& library, const Body& body);
  LoadProcess(const LoadProcess&) = delete;
  LoadProcess& operator=(const LoadProcess&) = delete;

  pid_t pid() const { return pid_; }
  void Begin() const;
  bool HasEnded() const;
  std::vector<double> Numbers();

 private:
  pid_t pid_ = -1;
  int go_fd_ = -1;
  int numbers_fd_ = -1;
};

int64_t NowNs();
int64_t ThreadCpuNs();
int64_t ProcessCpuNs();

// CPU nanoseconds of one call, the least of some rounds: others use the machine too.
double CallNs(const CallRuntime& runtime);

struct Rates {
  double calls_per_s = 0;
  double switches_per_s = 0;
  double faults_per_s = 0;
};
// A thread that calls, two that wake each other through pipes on one core, one that touches fresh
// memory; 0: as fast as it goes, negative: not at all. Returns the counts and the seconds.
std::vector<double> MakeEvents(const CallRuntime& runtime, const Rates& wanted, double seconds);

}  // namespace gpuwhy::bench
