// SPDX-License-Identifier: Apache-2.0
// Everything of an export around the events: machine, devices, names, and what was left out. Free
// functions over one conversion; one thread.
#pragma once

#include "collectors/nsys/conversion.h"

namespace gpuwhy::nsys {

// The capture's columns and facts.
Result<CaptureRow> DescribeCapture(const ExportFile& file);
// Names of processes and threads, models of devices. Call after all rows.
Status DescribeActors(Conversion& conversion);
// Counts tables with rows that are not converted, and what the recorder complained of itself.
Status CountOmissions(Conversion& conversion);

}  // namespace gpuwhy::nsys
