// SPDX-License-Identifier: Apache-2.0
// Everything of an Ingero database around the events: what machine it was, what it measured of it,
// what it concluded and what people noted. Free functions for one node of an import; one thread.
#pragma once

#include <string_view>

#include "collectors/ingero/actors.h"
#include "collectors/ingero/source_file.h"
#include "collectors/recorder.h"

namespace gpuwhy::ingero {

// The capture's columns and facts, from table sessions (the last session counts) and the layout.
Result<CaptureRow> DescribeCapture(const SourceFile& file, std::string_view node);
// Adds the session's GPUs.
Status ConvertGpus(const SourceFile& file, std::string_view node, Recorder& recorder);
// system_snapshots -> counters system.*. Sizes are in MiB there.
Status ConvertSnapshots(const SourceFile& file, Recorder& recorder);
// causal_chains -> foreign_finding. Their timeline repeats the texts and is left out.
Status ConvertChains(const SourceFile& file, std::string_view node, Recorder& recorder);
// annotations -> ranges of the process's main thread, or host events when of no process.
Status ConvertAnnotations(const SourceFile& file, Recorder& recorder, Actors& actors);
// Counts deleted rows and tables that are not converted.
Status CountOmissions(const SourceFile& file, std::string_view node, Recorder& recorder);

}  // namespace gpuwhy::ingero
