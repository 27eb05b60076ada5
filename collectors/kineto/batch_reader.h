// SPDX-License-Identifier: Apache-2.0
// Reads the next chunk of a trace into a batch of parsed events, mending what it can. One thread at
// a time.
#pragma once

#include <string_view>

#include "collectors/kineto/batch.h"
#include "collectors/kineto/event_parser.h"
#include "collectors/kineto/event_stream.h"

namespace gpuwhy::kineto {

class BatchReader {
 public:
  explicit BatchReader(EventStream& stream) : stream_(stream) {}

  // False when the file is used up; the batch is then empty.
  bool Read(Batch& batch);

 private:
  void Take(const Piece& piece, Batch& batch);
  void Mend(std::string_view text, Batch& batch);
  bool ParseMended(std::string text, Batch& batch);
  bool ParseInto(std::string_view text, Batch& batch);

  EventStream& stream_;
  EventParser parser_;
};

}  // namespace gpuwhy::kineto
