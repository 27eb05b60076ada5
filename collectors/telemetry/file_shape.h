// SPDX-License-Identifier: Apache-2.0
// Which kind of telemetry file a text is, told by its beginning. Pure functions.
#pragma once

#include <string_view>

namespace gpuwhy::telemetry {

enum class FileShape {
  kUnknown,  // none of telemetry
  kTable,
  kCapture,   // outputs of several commands, each below its "# $ nvidia-smi ..."
  kLinks,     // nvidia-smi c2c and nvlink: speeds of links at one moment
  kGpuList,   // nvidia-smi -L
  kOneMoment  // nvidia-smi and nvidia-smi -q: a report for people
};

FileShape ShapeOf(std::string_view head);

// Why a file of this shape holds no series, as the end of a sentence about it; empty when it does.
std::string_view WhyNoSeries(FileShape shape);

// The text without a byte order mark.
std::string_view WithoutByteOrderMark(std::string_view text);

}  // namespace gpuwhy::telemetry
