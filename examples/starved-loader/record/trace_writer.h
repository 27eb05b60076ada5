// SPDX-License-Identifier: Apache-2.0
// Turns what the processes noted into rows of a trace database.
#pragma once

#include <span>
#include <string>

#include "examples/starved-loader/record/clock.h"
#include "examples/starved-loader/record/software_device.h"
#include "examples/starved-loader/record/trainer.h"

namespace gpuwhy::starved_loader {

struct Recording {
  ClockOffset clock;
  const TrainerLog& trainer;
  const SoftwareDevice& device;
  std::span<const Worker> workers;  // stopped
};

// Replaces the file.
Status WriteTrace(const std::string& path, const Recording& recording);

}  // namespace gpuwhy::starved_loader
