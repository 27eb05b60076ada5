// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/nccl/rendezvous.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace gpuwhy::simgpu {

std::unique_ptr<Rendezvous> Rendezvous::Join(const std::string& name, int rank_count) {
  const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return nullptr;
  void* memory = MAP_FAILED;
  if (ftruncate(fd, sizeof(Shared)) == 0)
    memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) return nullptr;
  std::unique_ptr<Rendezvous> made(new Rendezvous(static_cast<Shared*>(memory)));
  const int joined = made->shared_->joined_count.fetch_add(1) + 1;
  made->Wake();
  if (joined == rank_count) shm_unlink(name.c_str());  // nobody needs the name any more
  for (uint32_t version = made->Version(); made->shared_->joined_count < rank_count;
       version = made->Version())
    made->WaitForChange(version);
  return made;
}

Rendezvous::~Rendezvous() {
  munmap(shared_, sizeof(Shared));
}

Rendezvous::Slot& Rendezvous::SlotOf(const Meeting& meeting) const {
  return shared_->slots[meeting.channel][meeting.number % kSlots];
}

void Rendezvous::Arrive(const Meeting& meeting, int64_t ready_ns) {
  Slot& slot = SlotOf(meeting);
  int64_t latest_ns = slot.latest_ns;
  while (latest_ns < ready_ns && !slot.latest_ns.compare_exchange_weak(latest_ns, ready_ns)) {
  }
  ++slot.arrivals;
  Wake();
}

std::optional<int64_t> Rendezvous::LatestOf(const Meeting& meeting) const {
  const Slot& slot = SlotOf(meeting);
  const int64_t wanted = (meeting.number / kSlots + 1) * meeting.party_count;
  if (slot.arrivals < wanted) return {};
  return slot.latest_ns;
}

uint32_t Rendezvous::Version() const {
  return shared_->version;
}

void Rendezvous::WaitForChange(uint32_t version) const {
  syscall(SYS_futex, &shared_->version, FUTEX_WAIT, version, nullptr, nullptr, 0);
}

void Rendezvous::Wake() {
  ++shared_->version;
  syscall(SYS_futex, &shared_->version, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace gpuwhy::simgpu
