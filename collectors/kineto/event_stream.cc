// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/event_stream.h"

#include <algorithm>
#include <cstring>

#include "collectors/kineto/repair.h"
#include "collectors/kineto/structure.h"

namespace gpuwhy::kineto {
namespace {

// A process group table of a large job is a few MB; beyond this something else is wrong.
constexpr size_t kMaxMetadataBytes = 32 << 20;
// An event longer than this is taken for one with a lost quote, and its end is searched by pattern.
constexpr size_t kSuspiciousEventBytes = 1 << 20;
constexpr size_t kLeastReachBytes = 4 << 10;
// An event longer than this is given up.
constexpr size_t kMaxEventBytes = 64 << 20;

}  // namespace

Status EventStream::Open() {
  while (true) {
    ReadMore(chunk_bytes_);
    const std::string_view text = Rest();
    const ArrayPosition position = FindEventArray(text);
    if (position.outcome == ArraySearch::kFound) {
      head_ = text.substr(0, position.offset - 1);
      at_ = position.offset;
      carry_ = Rest();
      return {};
    }
    if (position.outcome == ArraySearch::kAbsent || is_at_end_ || end_ > kMaxMetadataBytes) {
      return CorruptInput("it has no traceEvents array");
    }
  }
}

std::string EventStream::HeadMetadata() const {
  return head_.find('{') == std::string::npos ? "{}" : head_ + "null}";
}

std::string EventStream::Metadata() const {
  if (head_.find('{') == std::string::npos) return "{}";
  return is_array_closed_ ? head_ + "null" + tail_ : HeadMetadata();
}

// Appends up to `bytes` of the file to the chunk.
void EventStream::ReadMore(size_t bytes) {
  if (chunk_.size() < end_ + bytes + kPaddingBytes) chunk_.resize(end_ + bytes + kPaddingBytes);
  const size_t got = source_->Read(chunk_.data() + end_, bytes);
  is_at_end_ = got < bytes;
  end_ += got;
  std::memset(chunk_.data() + end_, 0, kPaddingBytes);
}

bool EventStream::FillChunk(std::vector<char> used) {
  if (is_at_end_ && carry_.empty()) return false;
  chunk_ = std::move(used);
  // Only ever grown: clearing it first would zero it again.
  if (chunk_.size() < carry_.size() + kPaddingBytes) chunk_.resize(carry_.size() + kPaddingBytes);
  std::copy(carry_.begin(), carry_.end(), chunk_.begin());
  at_ = 0;
  end_ = carry_.size();
  carry_.clear();
  // A carry as large as a chunk is one long event: read as much again, so that the work stays
  // linear.
  std::memset(chunk_.data() + end_, 0, kPaddingBytes);
  if (!is_at_end_) ReadMore(std::max(chunk_bytes_, end_));
  return true;
}

void EventStream::CollectTail() {
  const size_t room = kMaxMetadataBytes - tail_.size();
  is_metadata_cut_ = is_metadata_cut_ || Rest().size() > room;
  tail_ += Rest().substr(0, room);
  at_ = end_;
}

Piece EventStream::Take(PieceKind kind, size_t length) {
  const Piece piece{kind, Rest().substr(0, length)};
  at_ += piece.text.size();
  return piece;
}

Piece EventStream::Next() {
  if (is_array_closed_) CollectTail();
  while (at_ < end_ && (IsSpace(chunk_[at_]) || chunk_[at_] == ','))
    ++at_;
  if (at_ == end_) return {};
  if (chunk_[at_] == ']') {
    ++at_;
    is_array_closed_ = true;
    return Next();
  }
  return chunk_[at_] == '{' ? TakeObject() : TakeOther();
}

// A number, a word, or what is left of something worse: up to what may be the next element.
Piece EventStream::TakeOther() {
  const size_t next = Rest().find_first_of("{,]", 1);
  if (next != std::string_view::npos) return Take(PieceKind::kBroken, next);
  if (is_at_end_ || end_ - at_ > kMaxEventBytes) return Take(PieceKind::kTruncated, end_ - at_);
  carry_ = Rest();
  at_ = end_;
  return {};
}

Piece EventStream::TakeObject() {
  const char* begin = chunk_.data() + at_;
  const size_t size = end_ - at_;
  const char* end = FindValueEnd(begin, begin + std::min(size, reach_));
  if (end != nullptr) {
    reach_ = SIZE_MAX;
    return Take(PieceKind::kEvent, static_cast<size_t>(end - begin));
  }
  if (is_at_end_ || size > std::min(reach_, kSuspiciousEventBytes)) {
    reach_ = std::max(std::min(reach_, kSuspiciousEventBytes) / 2, kLeastReachBytes);
    return TakeBroken();
  }
  carry_ = Rest();
  at_ = end_;
  return {};
}

size_t EventStream::FindNext(size_t from, bool& is_array_end) const {
  const std::string_view text(chunk_.data(), end_);
  const size_t start = FindEventStart(text, from);
  const size_t end = start == std::string_view::npos && is_at_end_ ? FindArrayEnd(text, from)
                                                                   : std::string_view::npos;
  is_array_end = end != std::string_view::npos;
  return is_array_end ? end : start;
}

Piece EventStream::TakeBroken() {
  bool is_array_end = false;
  const size_t next = FindNext(at_ + 1, is_array_end);
  if (next != std::string_view::npos) return Take(PieceKind::kBroken, next - at_);
  if (is_at_end_) return Take(PieceKind::kTruncated, end_ - at_);
  if (end_ - at_ > kMaxEventBytes) return Take(PieceKind::kBroken, end_ - at_);
  carry_ = Rest();
  at_ = end_;
  return {};
}

std::string_view EventStream::Resynchronise(const char* begin) {
  const auto from = static_cast<size_t>(begin - chunk_.data());
  bool is_array_end = false;
  const size_t next = FindNext(from + 1, is_array_end);
  // Without an earlier start the piece as it was cut stands.
  if (next != std::string_view::npos) at_ = std::min(at_, next);
  return {begin, at_ - from};
}

}  // namespace gpuwhy::kineto
