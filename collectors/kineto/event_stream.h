// SPDX-License-Identifier: Apache-2.0
// Cuts a Chrome trace file into the texts of its events without holding more than a chunk of it.
// What is outside the event array (device properties, base time, ...) is collected as metadata().
// Use: Open; then, until FillChunk says false, Next until it has nothing. Event texts point into
// the chunk and may be kept by taking it. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/kineto/byte_source.h"
#include "schema/base/result.h"

namespace gpuwhy::kineto {

enum class PieceKind {
  kNone,       // this chunk is used up
  kEvent,      // from bracket to matching bracket; may still be malformed inside
  kBroken,     // no event that can be delimited: the bytes up to the next one
  kTruncated,  // the last bytes of a file that ends in the middle of an event
};

struct Piece {
  PieceKind kind = PieceKind::kNone;
  std::string_view text;
};

class EventStream {
 public:
  // Every text is followed by this many readable bytes (the parser and the scanner read ahead).
  static constexpr size_t kPaddingBytes = 128;

  EventStream(std::unique_ptr<ByteSource> source, size_t chunk_bytes)
      : source_(std::move(source)), chunk_bytes_(chunk_bytes) {}

  // Reads up to the first event. Fails when there is no event array.
  Status Open();
  // The text before the array, closed so that it is JSON.
  std::string HeadMetadata() const;
  // The text around the array, complete after the last chunk.
  std::string Metadata() const;

  // Makes the next chunk current, in the memory of a used one; false when the file is used up.
  bool FillChunk(std::vector<char> used = {});
  Piece Next();
  // The event that began at `begin` did not parse: goes on at the next text that looks like the
  // start of an event. Returns the bytes in between.
  std::string_view Resynchronise(const char* begin);
  // The chunk, whose texts stay valid with it.
  std::vector<char> TakeChunk() { return std::move(chunk_); }

  uint64_t DoneBytes() const { return source_->DoneBytes(); }
  bool IsSourceDamaged() const { return source_->IsDamaged(); }
  bool IsArrayClosed() const { return is_array_closed_; }
  bool IsMetadataCut() const { return is_metadata_cut_; }

 private:
  std::string_view Rest() const { return {chunk_.data() + at_, end_ - at_}; }
  void ReadMore(size_t bytes);
  void CollectTail();
  Piece Take(PieceKind kind, size_t length);
  Piece TakeObject();
  Piece TakeOther();
  Piece TakeBroken();
  size_t FindNext(size_t from, bool& is_array_end) const;

  std::unique_ptr<ByteSource> source_;
  size_t chunk_bytes_;
  std::string head_;
  std::string tail_;
  std::vector<char> chunk_;  // end_ bytes of text, then kPaddingBytes
  size_t at_ = 0;
  size_t end_ = 0;
  std::string carry_;  // begin of an event whose end is in the next chunk
  // How far the end of an object is looked for: less after objects that had none, so that a file
  // full of them costs no more than its size times the least reach.
  size_t reach_ = SIZE_MAX;
  bool is_at_end_ = false;
  bool is_array_closed_ = false;
  bool is_metadata_cut_ = false;
};

}  // namespace gpuwhy::kineto
