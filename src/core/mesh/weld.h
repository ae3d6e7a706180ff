// Weld: positions equal bit for bit (with -0 = +0) are one vertex.
//
// All workers insert into one table of open addressing. An entry is 32 bits of a position's hash and the number of the
// position. An entry's position never changes; its number only decreases, so the least of equal positions is left,
// whatever the order of the threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/pages.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "base/zeroed.h"
#include "sightline/mesh.h"

namespace sightline {

/// Equal positions have equal hashes: adding +0 turns -0 into +0 and changes nothing else.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t bits) {
  hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 32);
}
inline std::uint64_t position_hash(const Vec3f& p) {
  const auto bits = [](float x) { return std::uint64_t{std::bit_cast<std::uint32_t>(x + 0.0f)}; };
  return mixed(mixed(0, bits(p[0]) | bits(p[1]) << 32), bits(p[2]));
}
inline std::uint64_t position_hash(const Vec3d& p) {
  std::uint64_t hash = 0;
  for (const double x : p) hash = mixed(hash, std::bit_cast<std::uint64_t>(x + 0.0));
  return hash;
}

/// What a weld returns for each position: the first position equal to it; or a number, the same for equal positions
/// only, where all numbers are below about that of the distinct positions, and depend on the order of the threads.
enum class Equal : std::uint8_t { first, numbered };

/// The table of one weld. at(i) is a position; positions are finite, so == is equality of bits with -0 = +0.
template <typename At>
class Welder {
 public:
  /// `first[i]` becomes what `which` states; with Equal::first, once resolve() has run for all of them.
  /// `workers`: those that will insert. One thread alone needs no locked instructions.
  Welder(const At& at, std::uint32_t* first, std::size_t slots, Equal which, Workers& workers)
      : at_(at),
        first_(first),
        entries_(slots, workers),
        shift_(64 - std::countr_zero(slots)),
        which_(which),
        alone_(workers.count() == 1) {}

  /// False if more positions are distinct than the table was made for; nothing in `first` has a meaning then.
  bool insert(std::size_t begin, std::size_t end, std::size_t most, std::size_t numbers_at_once, Poll& poll) {
    std::uint64_t hash[kBatch];  // entries are fetched a batch ahead: the table does not fit a cache
    std::uint64_t number = 0, end_of_numbers = 0;
    for (; begin < end; begin += kBatch) {
      poll(kBatch);
      const std::size_t count = std::min(kBatch, end - begin);
      for (std::size_t i = 0; i < count; ++i) {
        hash[i] = position_hash(at_(static_cast<std::uint32_t>(begin + i)));
        __builtin_prefetch(&entries_[slot_of(hash[i])], 1);
      }
      for (std::size_t i = 0; i < count; ++i) {
        // Numbers are taken many at once, because all threads take them from here, and neighbours should have numbers
        // near each other. A few are lost in each block.
        if (number == end_of_numbers) {
          number = numbers_.fetch_add(numbers_at_once, std::memory_order_relaxed);
          end_of_numbers = number + numbers_at_once;
          if (number > most) return false;
        }
        const auto position = static_cast<std::uint32_t>(begin + i);
        number += insert_one(position, hash[i], which_ == Equal::first ? position : static_cast<std::uint32_t>(number));
      }
    }
    return true;
  }
  /// All numbers are below this one.
  std::uint64_t numbers() const { return numbers_.load(std::memory_order_relaxed); }
  /// True if positions were not inserted in ascending order, and resolve() is needed.
  bool displaced() const { return displaced_.load(std::memory_order_relaxed); }
  void resolve(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint32_t x = first(static_cast<std::uint32_t>(i)), y;
      while ((y = first(x)) != x) x = y;
      set_first(static_cast<std::uint32_t>(i), x);
    }
  }

 private:
  static constexpr std::size_t kBatch = 64;
  using Atomic = std::atomic_ref<std::uint64_t>;

  std::size_t slot_of(std::uint64_t hash) const { return (hash * 0xD6E8FEB86659FD93u) >> shift_; }
  static std::uint32_t index(std::uint64_t entry) { return static_cast<std::uint32_t>(entry) - 1; }
  std::uint32_t first(std::uint32_t i) const { return std::atomic_ref(first_[i]).load(std::memory_order_relaxed); }
  void set_first(std::uint32_t i, std::uint32_t to) { std::atomic_ref(first_[i]).store(to, std::memory_order_relaxed); }

  /// True if the position is new; then first[i] = value. It is written before i is in the table; the thread that
  /// displaces i from the table writes it after that.
  bool insert_one(std::uint32_t i, std::uint64_t hash, std::uint32_t value) {
    const std::uint64_t mine = hash << 32 | (std::uint64_t{i} + 1);
    for (std::size_t slot = slot_of(hash);; slot = (slot + 1) & (entries_.size() - 1)) {
      const Atomic entry(entries_[slot]);
      std::uint64_t seen = entry.load(std::memory_order_acquire);
      if (seen == 0) {
        set_first(i, value);
        if (alone_) {
          entry.store(mine, std::memory_order_relaxed);
          return true;
        }
        if (entry.compare_exchange_strong(seen, mine, std::memory_order_acq_rel)) return true;
      }
      if (seen >> 32 != mine >> 32 || at_(index(seen)) != at_(i)) continue;
      if (which_ == Equal::numbered) {
        set_first(i, first(index(seen)));
        return false;
      }
      set_first(i, std::min(i, index(seen)));
      while (seen > mine) {
        const std::uint32_t later = index(seen);
        if (entry.compare_exchange_weak(seen, mine, std::memory_order_acq_rel)) {
          set_first(later, i);
          if (!displaced()) displaced_.store(true, std::memory_order_relaxed);
          break;
        }
        set_first(i, std::min(i, index(seen)));
      }
      return false;
    }
  }

  const At& at_;
  std::uint32_t* first_;
  Zeroed<std::uint64_t> entries_;
  int shift_;
  Equal which_;
  bool alone_;
  // Apart from what all threads read.
  alignas(64) std::atomic<std::uint64_t> numbers_{0};
  std::atomic<bool> displaced_{false};
};

/// For each of `size` positions, the first position equal to it, or a number; at(i) is a position. Returns a bound of
/// what is in `first`.
template <typename At>
std::uint64_t weld(const At& at, std::size_t size, std::uint32_t* first, Workers& workers, const Poll& poll = {},
                   Equal which = Equal::first) {
  // Where blocks meet, threads write what others read, so there are few blocks. They are multiples of what is taken at
  // once: then numbers never exceed those of the positions by more than that.
  const std::size_t at_once = size < (1 << 20) ? 128 : 2048;
  const std::size_t block = std::max<std::size_t>(1 << 14, size / (8 * workers.count()) / at_once * at_once);
  // A file of separate triangles has each position about six times: a third of the size is room enough, and the smaller
  // table stays nearer to the processor. If it fills up, a table for all of them follows.
  const std::size_t least = std::bit_ceil(2 * size + 64);
  for (std::size_t slots = size < (1 << 20) ? least : std::bit_ceil(size / 3);; slots = least) {
    const std::size_t most = slots == least ? size : slots / 8 * 5;
    Welder<At> welder(at, first, slots, which, workers);
    std::atomic<bool> fits{true};
    workers.for_blocks(size, block, [&](std::size_t begin, std::size_t end) {
      Poll own = poll;
      if (fits.load(std::memory_order_relaxed) && !welder.insert(begin, end, most, at_once, own))
        fits.store(false, std::memory_order_relaxed);
    });
    if (!fits) {
      // Never, as blocks are multiples of at_once: then each takes at most as many numbers as it has positions.
      if (slots == least) throw Error("weld: the table for all positions is full");
      continue;
    }
    if (welder.displaced())
      workers.for_blocks(size, block, [&](std::size_t begin, std::size_t end) { welder.resolve(begin, end); });
    return which == Equal::first ? size : welder.numbers();
  }
}

template <typename Point>
std::vector<std::uint32_t> weld(std::span<const Point> points, Workers& workers = Workers::none(),
                                const Poll& poll = {}) {
  std::vector<std::uint32_t> first = large_vector<std::uint32_t>(points.size());
  weld([points](std::uint32_t i) -> const Point& { return points[i]; }, points.size(), first.data(), workers, poll);
  return first;
}

/// The weld of the positions of a mesh.
inline std::uint64_t weld(const MeshView& mesh, std::uint32_t* first, Workers& workers, const Poll& poll, Equal which) {
  const auto run = [&](const auto& at) { return weld(at, mesh.positions.size(), first, workers, poll, which); };
  if (mesh.is_placed()) return run([&mesh](std::uint32_t i) { return mesh.position(i); });
  if (mesh.positions.is_double())
    return run([points = mesh.positions.f64()](std::uint32_t i) -> const Vec3d& { return points[i]; });
  return run([points = mesh.positions.f32()](std::uint32_t i) -> const Vec3f& { return points[i]; });
}
inline std::vector<std::uint32_t> weld(const MeshView& mesh, Workers& workers = Workers::none(),
                                       const Poll& poll = {}) {
  std::vector<std::uint32_t> first = large_vector<std::uint32_t>(mesh.positions.size());
  weld(mesh, first.data(), workers, poll, Equal::first);
  return first;
}

}  // namespace sightline
