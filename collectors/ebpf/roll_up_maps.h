// SPDX-License-Identifier: Apache-2.0
// The two maps that the kernel's exact roll-ups alternate between: while one is counted into, the
// other is read and emptied. Exchanging them waits until no program uses the old one, so nothing is
// lost and nothing counted twice. One thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "collectors/ebpf/wire.h"
#include "schema/base/result.h"

namespace gpuwhy {

using OnRollUp = std::function<void(const RollUpKey&, const RollUpValue&)>;

class RollUpMaps {
 public:
  static Result<std::unique_ptr<RollUpMaps>> Make();
  ~RollUpMaps();
  RollUpMaps(const RollUpMaps&) = delete;
  RollUpMaps& operator=(const RollUpMaps&) = delete;

  int active_fd() const { return fds_[active_]; }
  // `outer_fd`: the map of maps in whose first slot the programs look.
  Status Bind(int outer_fd);
  // Everything counted since the last call.
  Status Take(const OnRollUp& on_roll_up);

 private:
  RollUpMaps();
  Status Drain(int fd, const OnRollUp& on_roll_up);

  int fds_[2] = {-1, -1};
  int active_ = 0;
  int outer_fd_ = -1;
  std::vector<RollUpKey> keys_;
  std::vector<RollUpValue> values_;
};

}  // namespace gpuwhy
