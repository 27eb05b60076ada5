// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/device.h"

#include <algorithm>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/log.h"
#include "examples/simgpu/core/moves.h"
#include "examples/simgpu/core/settings.h"

namespace gpuwhy::simgpu {
namespace {

// Known operations only move the start; the others are waited for.
void GoAfter(Op& op, const OpRef& other) {
  if (other == nullptr) return;
  if (other->is_known) {
    op.start_ns = std::max(op.start_ns, other->end_ns);
  } else {
    op.after.push_back(other);
  }
}

void TakeWhatIsKnown(Op& op) {
  const auto is_known = [&op](const OpRef& other) {
    if (other->is_known) op.start_ns = std::max(op.start_ns, other->end_ns);
    return other->is_known;
  };
  op.after.erase(std::remove_if(op.after.begin(), op.after.end(), is_known), op.after.end());
}

void Note(const Op& op) {
  if (op.work.engine == EngineKind::kNone) return;
  Log::Get().Add(Log::DeviceOp{.engine = EngineName(op.work.engine),
                               .start_ns = op.start_ns,
                               .end_ns = op.end_ns,
                               .name = op.work.name,
                               .bytes = op.work.bytes,
                               .stream = op.stream});
}

bool HasEnded(const OpRef& op) {
  return op == nullptr || (op->is_known && op->end_ns <= NowNs());
}

}  // namespace

Device& Device::Get() {
  static Device& device = *new Device();
  return device;
}

Device::Device() : legacy_(std::make_shared<Stream>()) {}

OpRef Device::MakeOp(Stream& stream, Work work, const std::vector<OpRef>& after) {
  auto op = std::make_shared<Op>(
      Op{.work = std::move(work), .stream = stream.handle, .start_ns = NowNs(), .after = {}});
  GoAfter(*op, stream.last);
  for (const OpRef& other : after)
    GoAfter(*op, other);
  if (&stream == legacy_.get()) {
    for (const StreamRef& other : streams_) {
      if (other->is_blocking) GoAfter(*op, other->last);
    }
  } else if (stream.is_blocking) {
    GoAfter(*op, legacy_->last);
  }
  return op;
}

OpRef Device::Submit(Stream& stream, Work work, const std::vector<OpRef>& after) {
  const std::lock_guard lock(mutex_);
  OpRef op = MakeOp(stream, std::move(work), after);
  stream.last = op;
  Settle(op);
  return op;
}

OpRef Device::SubmitBeside(Stream& stream, Work work, const std::vector<OpRef>& after) {
  const std::lock_guard lock(mutex_);
  OpRef op = MakeOp(stream, std::move(work), after);
  Settle(op);
  return op;
}

void Device::Settle(const OpRef& op) {
  if (op->after.empty()) Place(*op);
  if (!op->is_known) unknown_.push_back(op);
}

void Device::Place(Op& op) {
  if (op.work.when_ready != nullptr) {
    op.is_open = true;
    op.work.when_ready(op.start_ns);
    return;
  }
  if (op.work.engine != EngineKind::kNone) {
    Engine& engine = engines_[static_cast<size_t>(op.work.engine)];
    op.start_ns = engine.Place(op.start_ns, op.work.duration_ns);
  }
  op.end_ns = op.start_ns + op.work.duration_ns;
  op.is_known = true;
  Note(op);
}

void Device::Complete(const OpRef& collective, int64_t end_ns) {
  const std::lock_guard lock(mutex_);
  collective->end_ns = end_ns;
  collective->is_known = true;
  Note(*collective);
  SettleOpenOnes();
  some_known_.notify_all();
}

// One pass is enough: operations wait for earlier ones only.
void Device::SettleOpenOnes() {
  for (const OpRef& op : unknown_) {
    TakeWhatIsKnown(*op);
    if (op->after.empty() && !op->is_open && !op->is_known) Place(*op);
  }
  const auto is_known = [](const OpRef& op) { return op->is_known; };
  unknown_.erase(std::remove_if(unknown_.begin(), unknown_.end(), is_known), unknown_.end());
}

void Device::WaitFor(const OpRef& op) {
  Moves::Get().MakeAll();
  if (op == nullptr) return;
  {
    std::unique_lock lock(mutex_);
    some_known_.wait(lock, [&op] { return op->is_known; });
  }
  SleepUntilNs(op->end_ns);
}

void Device::WaitFor(const Stream& stream) {
  for (const OpRef& op : LastOf(stream))
    WaitFor(op);
}

void Device::WaitForAll() {
  std::vector<OpRef> last;
  {
    const std::lock_guard lock(mutex_);
    last.push_back(legacy_->last);
    for (const StreamRef& stream : streams_)
      last.push_back(stream->last);
  }
  for (const OpRef& op : last)
    WaitFor(op);
}

// The legacy default stream stands for all streams that order themselves with it.
std::vector<OpRef> Device::LastOf(const Stream& stream) {
  const std::lock_guard lock(mutex_);
  std::vector<OpRef> last{stream.last};
  if (&stream != legacy_.get()) return last;
  for (const StreamRef& other : streams_) {
    if (other->is_blocking) last.push_back(other->last);
  }
  return last;
}

bool Device::IsDone(const OpRef& op) {
  Moves::Get().MakeAll();
  const std::lock_guard lock(mutex_);
  return HasEnded(op);
}

bool Device::IsDone(const Stream& stream) {
  Moves::Get().MakeAll();
  const std::vector<OpRef> last = LastOf(stream);
  const std::lock_guard lock(mutex_);
  return std::all_of(last.begin(), last.end(), HasEnded);
}

int64_t Device::EndOf(const OpRef& op) {
  const std::lock_guard lock(mutex_);
  return op->end_ns;
}

void Device::WaitForQueueSlot() {
  OpRef oldest;
  {
    const std::lock_guard lock(mutex_);
    while (!queued_.empty() && HasEnded(queued_.front()))
      queued_.pop_front();
    if (static_cast<int64_t>(queued_.size()) < GetSettings().queue_depth) return;
    oldest = queued_.front();
  }
  WaitFor(oldest);
}

void Device::CountInQueue(const OpRef& op) {
  const std::lock_guard lock(mutex_);
  queued_.push_back(op);
}

StreamRef Device::AddStream(const void* handle, bool is_blocking) {
  const std::lock_guard lock(mutex_);
  DropClosedStreams();
  streams_.push_back(
      std::make_shared<Stream>(Stream{.handle = handle, .is_blocking = is_blocking}));
  if (handle == nullptr) streams_.back()->handle = streams_.back().get();
  return streams_.back();
}

void Device::CloseStream(const StreamRef& stream) {
  const std::lock_guard lock(mutex_);
  stream->is_closed = true;
  DropClosedStreams();
}

void Device::DropClosedStreams() {
  const auto is_over = [](const StreamRef& stream) {
    return stream->is_closed && HasEnded(stream->last);
  };
  streams_.erase(std::remove_if(streams_.begin(), streams_.end(), is_over), streams_.end());
}

}  // namespace gpuwhy::simgpu
