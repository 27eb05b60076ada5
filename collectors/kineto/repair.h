// SPDX-License-Identifier: Apache-2.0
// What to do with an event that is not JSON. Writers have left control characters, quotes and
// invalid UTF-8 in strings, and bare words (NaN, ncclFloat32, 0x262ca50) as values. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpuwhy::kineto {

// The same event with control characters escaped, invalid UTF-8 replaced, bare words quoted and
// surplus commas removed. Strings must end where they should.
std::string CleanJson(std::string_view text);

// The known keys of an event found by the writer's fixed layout, for names with quotes in them:
//   "name": "{"device": "cpu"}(12): run", "pid": 1, ...
// A string ends only where a known key or the end of the object follows. The result is JSON; args
// are left out when they cannot be read. Nothing when not even a phase is found.
std::optional<std::string> SalvageEvent(std::string_view text);

// Offset of the next text that looks like the first key of an event after another event, or of the
// end of the array; npos when there is none.
size_t FindEventStart(std::string_view text, size_t from);
size_t FindArrayEnd(std::string_view text, size_t from);

}  // namespace gpuwhy::kineto
