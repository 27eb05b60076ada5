// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/driver_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "examples/simgpu/core/settings.h"

namespace gpuwhy::simgpu {
namespace {

struct Shared {
  pthread_mutex_t mutex;
  bool is_made;
};

void MakeMutex(Shared& shared) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&shared.mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  shared.is_made = true;
}

// The first process makes it; the file lock keeps the others away meanwhile.
Shared* MapShared(int fd) {
  flock(fd, LOCK_EX);
  Shared* shared = nullptr;
  if (ftruncate(fd, sizeof(Shared)) == 0) {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED) shared = static_cast<Shared*>(memory);
  }
  if (shared != nullptr && !shared->is_made) MakeMutex(*shared);
  flock(fd, LOCK_UN);
  return shared;
}

pthread_mutex_t* Open() {
  const std::string& name = GetSettings().driver_lock;
  if (name.empty()) return nullptr;
  const int fd = shm_open(("/" + name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  Shared* shared = fd < 0 ? nullptr : MapShared(fd);
  if (shared == nullptr) {
    std::fprintf(stderr, "simgpu: no driver lock %s: %s; calls take none\n", name.c_str(),
                 std::strerror(errno));
  }
  if (fd >= 0) close(fd);
  return shared == nullptr ? nullptr : &shared->mutex;
}

}  // namespace

DriverLock::DriverLock() {
  static pthread_mutex_t* const mutex = Open();
  mutex_ = mutex;
  if (mutex_ != nullptr && pthread_mutex_lock(mutex_) == EOWNERDEAD)
    pthread_mutex_consistent(mutex_);
}

DriverLock::~DriverLock() {
  if (mutex_ != nullptr) pthread_mutex_unlock(mutex_);
}

}  // namespace gpuwhy::simgpu
