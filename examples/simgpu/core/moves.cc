// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/moves.h"

#include <utility>

namespace gpuwhy::simgpu {
namespace {

// A program that never synchronises does not grow without bound.
constexpr size_t kMostPending = 4'096;

}  // namespace

Moves& Moves::Get() {
  static Moves& moves = *new Moves();
  return moves;
}

void Moves::Add(Move move) {
  if (move == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    moves_.push_back(std::move(move));
    if (moves_.size() < kMostPending) return;
  }
  MakeAll();
}

// Under the mutex: a second thread must not report a copy as done that the first one still makes.
void Moves::MakeAll() {
  const std::lock_guard lock(mutex_);
  for (; !moves_.empty(); moves_.pop_front())
    moves_.front()();
}

}  // namespace gpuwhy::simgpu
