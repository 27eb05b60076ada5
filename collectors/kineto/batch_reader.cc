// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/batch_reader.h"

#include "collectors/kineto/losses.h"
#include "collectors/kineto/repair.h"

namespace gpuwhy::kineto {
namespace {

constexpr size_t kExampleBytes = 200;
// Enough for a chunk of typical events, so that the vector seldom grows.
constexpr size_t kTypicalEventBytes = 300;

}  // namespace

bool BatchReader::Read(Batch& batch) {
  if (!stream_.FillChunk(std::move(batch.chunk))) return false;
  for (Piece piece = stream_.Next(); piece.kind != PieceKind::kNone; piece = stream_.Next()) {
    Take(piece, batch);
  }
  batch.done_bytes = stream_.DoneBytes();
  batch.chunk = stream_.TakeChunk();
  return true;
}

void BatchReader::Take(const Piece& piece, Batch& batch) {
  if (batch.events.empty()) batch.events.reserve((1U << 20U) / kTypicalEventBytes);
  if (piece.kind == PieceKind::kTruncated) {
    batch.losses.push_back({&kEventTruncated, std::string(piece.text.substr(0, kExampleBytes))});
    return;
  }
  if (piece.kind == PieceKind::kEvent) {
    if (ParseInto(piece.text, batch)) return;
    if (ParseMended(CleanJson(piece.text), batch)) {
      batch.losses.push_back({&kEventRepaired, std::string(piece.text.substr(0, kExampleBytes))});
      return;
    }
  }
  const bool is_cut = piece.kind == PieceKind::kEvent;
  Mend(is_cut ? stream_.Resynchronise(piece.text.data()) : piece.text, batch);
}

// For text whose strings do not end where they should.
void BatchReader::Mend(std::string_view text, Batch& batch) {
  // Behind the last bracket there are only separators, which would look like part of the event.
  const std::string_view event = text.substr(0, text.rfind('}') + 1);
  const std::string example(text.substr(0, kExampleBytes));
  const auto salvaged = SalvageEvent(event);
  const bool is_mended = salvaged && ParseMended(*salvaged, batch);
  batch.losses.push_back({is_mended ? &kEventRepaired : &kEventUnreadable, example});
}

bool BatchReader::ParseMended(std::string text, Batch& batch) {
  const size_t size = text.size();
  text.resize(size + EventStream::kPaddingBytes);
  const std::string& kept = batch.arena.emplace_back(std::move(text));
  return ParseInto(std::string_view(kept).substr(0, size), batch);
}

bool BatchReader::ParseInto(std::string_view text, Batch& batch) {
  TraceEvent& event = batch.events.emplace_back();
  const bool is_event = parser_.Parse(text, batch.arena, event);
  const bool is_flow = is_event && IsFlowPhase(event.phase);
  if (is_flow) ++batch.flow_count;
  if (is_flow || !is_event) batch.events.pop_back();
  return is_event;
}

}  // namespace gpuwhy::kineto
