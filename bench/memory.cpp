// Replaces malloc, free, … and mmap, munmap. The linker resolves the calls of every loaded library to these, but not
// those inside libc: a large malloc that libc serves by a mapping is counted once.
#include "bench/memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <string>

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> live{0};
std::atomic<std::int64_t> peak{0};

void grow(std::int64_t bytes) {
  const std::int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t highest = peak.load(std::memory_order_relaxed);
  while (now > highest && !peak.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {
  }
}
void* grown(void* block) {
  if (counting.load(std::memory_order_relaxed) && block != nullptr)
    grow(static_cast<std::int64_t>(malloc_usable_size(block)));
  return block;
}
void shrink(void* block) {
  if (counting.load(std::memory_order_relaxed) && block != nullptr)
    live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
}

/// The field of /proc/self/status in bytes, or 0.
std::uint64_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::uint64_t kibibytes = 0;
  while (status >> word)
    if (word == field && status >> kibibytes) return kibibytes * 1024;
  return 0;
}

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {

void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept { return grown(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) noexcept { return grown(__libc_calloc(count, size)); }
void free(void* block) noexcept {
  shrink(block);
  __libc_free(block);
}
void* realloc(void* block, std::size_t size) noexcept {
  shrink(block);
  return grown(__libc_realloc(block, size));
}
void* memalign(std::size_t alignment, std::size_t size) noexcept { return grown(__libc_memalign(alignment, size)); }
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }
int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  *block = memalign(alignment, size);
  return *block != nullptr ? 0 : ENOMEM;
}

void* mmap(void* address, std::size_t length, int protection, int flags, int file, off_t offset) noexcept {
  void* mapping = reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, file, offset));
  if (mapping != MAP_FAILED && (flags & MAP_ANONYMOUS) != 0 && counting.load(std::memory_order_relaxed))
    grow(static_cast<std::int64_t>(length));
  return mapping;
}
int munmap(void* address, std::size_t length) noexcept {
  if (counting.load(std::memory_order_relaxed))
    live.fetch_sub(static_cast<std::int64_t>(length), std::memory_order_relaxed);
  return static_cast<int>(syscall(SYS_munmap, address, length));
}

}  // extern "C"
#endif

namespace sightline::bench {

MemoryMeter::MemoryMeter() {
  malloc_trim(0);
  // 5 resets the high-water mark of the resident set (proc(5)).
  std::ofstream("/proc/self/clear_refs") << "5";
  resident_at_start_ = status_bytes("VmRSS:");
  live = peak = 0;
  counting = true;
}

MemoryMeter::~MemoryMeter() { counting = false; }

std::uint64_t MemoryMeter::peak_bytes() const { return static_cast<std::uint64_t>(peak.load()); }

std::uint64_t MemoryMeter::peak_resident_bytes() const {
  const std::uint64_t highest = status_bytes("VmHWM:");
  return highest > resident_at_start_ ? highest - resident_at_start_ : 0;
}

}  // namespace sightline::bench
