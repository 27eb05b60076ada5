// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/vdso.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "collectors/process/proc_maps.h"

namespace gpuwhy {

Result<UniqueFd> CopyVdso(uint64_t expected_bytes) {
  GPUWHY_ASSIGN_OR_RETURN(const ProcessMaps maps, ReadMaps(getpid()));
  const auto own = std::find_if(maps.mappings.begin(), maps.mappings.end(),
                                [](const Mapping& mapping) { return mapping.path == "[vdso]"; });
  if (own == maps.mappings.end() || own->end - own->start != expected_bytes) {
    return Unavailable("the [vdso] of a process is not the one of this program: it has no names");
  }
  UniqueFd fd(memfd_create("gpuwhy-vdso", MFD_CLOEXEC));
  const void* code =
      reinterpret_cast<const void*>(own->start);  // NOLINT(performance-no-int-to-ptr)
  const auto written = fd.ok() ? write(fd.get(), code, expected_bytes) : -1;
  if (written == static_cast<ssize_t>(expected_bytes)) return fd;
  return Unavailable("cannot copy the [vdso] into a file in memory");
}

}  // namespace gpuwhy
