#include "method/memory.h"

#include <mutex>
#include <vector>

// For AddressSanitizer, an idle block is poisoned, and so is the unused rest of a block that is larger than requested.
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) (static_cast<void>(at), static_cast<void>(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) (static_cast<void>(at), static_cast<void>(bytes))
#endif

namespace sightline::papers::method {
namespace {

struct Idle {
  void* data;
  std::size_t bytes;
};

/// Never destroyed: a query may end after the end of main.
struct Pool {
  std::mutex mutex;
  std::vector<Idle> idle;  ///< the oldest first; room for all that may be kept, so that giving back cannot fail
  std::size_t bytes = 0;
  Pool() { idle.reserve(kMostIdleBlocks + 1); }

  Idle take(std::size_t at) {
    const Idle block = idle[at];
    idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(at));
    bytes -= block.bytes;
    return block;
  }
};
Pool& pool() {
  static Pool* const all = new Pool;
  return *all;
}

}  // namespace

Block::Block(std::size_t bytes) {
  if (bytes == 0) return;
  Pool& all = pool();
  {
    const std::lock_guard lock(all.mutex);
    // The smallest block that is large enough, and at most twice as large, so that a small array does not take a block
    // that a large array will need.
    std::size_t best = all.idle.size();
    for (std::size_t i = 0; i < all.idle.size(); ++i) {
      const std::size_t size = all.idle[i].bytes;
      if (size >= bytes && size / 2 <= bytes && (best == all.idle.size() || size < all.idle[best].bytes)) best = i;
    }
    if (best < all.idle.size()) {
      const Idle block = all.take(best);
      data_ = block.data;
      bytes_ = block.bytes;
      ASAN_UNPOISON_MEMORY_REGION(data_, bytes);
      return;
    }
  }
  data_ = ::operator new(bytes);
  bytes_ = bytes;
}

Block::~Block() {
  if (data_ == nullptr) return;
  if (bytes_ > kMostIdleBytes || bytes_ < kLeastIdleBytes) {
    ::operator delete(data_);
    return;
  }
  ASAN_POISON_MEMORY_REGION(data_, bytes_);
  Pool& all = pool();
  const std::lock_guard lock(all.mutex);
  all.idle.push_back({data_, bytes_});
  all.bytes += bytes_;
  while (all.bytes > kMostIdleBytes || all.idle.size() > kMostIdleBlocks) {
    const Idle oldest = all.take(0);
    ASAN_UNPOISON_MEMORY_REGION(oldest.data, oldest.bytes);
    ::operator delete(oldest.data);
  }
}

std::size_t idle_bytes() {
  const std::lock_guard lock(pool().mutex);
  return pool().bytes;
}

}  // namespace sightline::papers::method
