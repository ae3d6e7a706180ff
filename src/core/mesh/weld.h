// Weld: positions equal bit for bit (with -0 = +0) are one vertex.
//
// All workers insert into one table of open addressing. An entry is 32 bits of a position's hash and the number of the
// position. An entry's position never changes; its number only decreases, so the least of equal positions is left,
// whatever the order of the threads. Where numbers of vertices are wanted and neighbours in the list share positions,
// each thread first welds those near each other by a table of its own, which fits a cache.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/buffer.h"
#include "base/pages.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "base/zeroed.h"
#include "sightline/mesh.h"

namespace sightline {

/// The bits of a position. Those of equal positions are equal: adding +0 turns -0 into +0 and changes nothing else.
template <typename Scalar>
std::array<std::uint32_t, 3 * sizeof(Scalar) / 4> position_bits(const std::array<Scalar, 3>& p) {
  return std::bit_cast<std::array<std::uint32_t, 3 * sizeof(Scalar) / 4>>(
      std::array<Scalar, 3>{p[0] + Scalar{0}, p[1] + Scalar{0}, p[2] + Scalar{0}});
}

/// Words k and k + 1.
template <std::size_t Words>
std::uint64_t pair(const std::array<std::uint32_t, Words>& bits, std::size_t k) {
  return k + 1 < Words ? bits[k] | std::uint64_t{bits[k + 1]} << 32 : bits[k];
}
template <std::size_t Words>
std::uint64_t hash_of(const std::array<std::uint32_t, Words>& bits) {
  std::uint64_t hash = 0;
  for (std::size_t k = 0; k < Words; k += 2) {
    hash = (hash ^ pair(bits, k)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}
constexpr std::uint64_t kSpread = 0xD6E8FEB86659FD93u;  ///< times a hash; then the high bits are a place in a table

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
        hash[i] = hash_of(position_bits(at_(static_cast<std::uint32_t>(begin + i))));
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

  std::size_t slot_of(std::uint64_t hash) const { return hash * kSpread >> shift_; }
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
/// what is in `first`. `slots`: of the first table.
template <typename At>
std::uint64_t weld_by_table(const At& at, std::size_t size, std::uint32_t* first, Workers& workers, const Poll& poll,
                            Equal which, std::size_t slots) {
  // Where blocks meet, threads write what others read, so there are few blocks. They are multiples of what is taken at
  // once: then numbers never exceed those of the positions by more than that.
  const std::size_t at_once = size < (1 << 20) ? 128 : 2048;
  const std::size_t block = std::max<std::size_t>(1 << 14, size / (8 * workers.count()) / at_once * at_once);
  const std::size_t least = std::bit_ceil(2 * size + 64);
  for (slots = std::min(slots, least);; slots = least) {
    const std::size_t most = slots == least ? size : slots / 4 * 3;
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

/// The positions that a thread had last, each with a number.
template <typename Point>
class Recent {
 public:
  using Bits = decltype(position_bits(Point{}));

  Recent() : entries_(std::size_t{1} << kBits, Entry{no_position(), 0}) {}
  /// The number of this position; if it is not recent, `otherwise`, which it then has.
  std::uint32_t number(const Point& point, std::uint32_t otherwise) {
    const Bits bits = position_bits(point);
    std::uint64_t hash = 0;  // a weaker one than that of the table: it decides only which position is forgotten
    for (std::size_t k = (bits.size() - 1) / 2 * 2; k < bits.size(); k -= 2) hash = (hash ^ pair(bits, k)) * kSpread;
    Entry& entry = entries_[hash >> (64 - kBits)];
    std::uint32_t different = 0;
    for (std::size_t k = 0; k < bits.size(); ++k) different |= bits[k] ^ entry.bits[k];
    if (different != 0) [[unlikely]]  // a branch: else each search would wait for what the one before it writes
      entry = {bits, otherwise};
    return entry.number;
  }

 private:
  static constexpr int kBits = 14;  // 256 kB of floats: several rows of a grid of millions of triangles
  struct alignas(16) Entry {
    Bits bits;
    std::uint32_t number;
  };
  static Bits no_position() {  // NaN
    Bits bits;
    bits.fill(~0u);
    return bits;
  }
  std::vector<Entry> entries_;
};

/// Whether at most half of the positions, as far as a sample shows, differ from those shortly before.
template <typename At>
bool neighbours_share(const At& at, std::size_t size) {
  constexpr std::size_t kSamples = 4, kLong = 2048;
  if (size < (1 << 16) || size > (std::size_t{1} << 31)) return false;
  Recent<std::remove_cvref_t<decltype(at(0))>> recent;
  std::uint32_t distinct = 0;
  for (std::size_t sample = 0; sample < kSamples; ++sample)
    for (std::size_t i = 0; i < kLong; ++i)
      distinct += recent.number(at(static_cast<std::uint32_t>(size / kSamples * sample + i)), distinct) == distinct;
  return distinct <= kSamples * kLong / 2;
}

/// The weld with numbers of positions that are mostly equal to others shortly before them, as in a file of separate
/// triangles, which has each position about six times. Only those that are not go to the table, which does not fit a
/// cache.
template <typename At>
std::uint64_t weld_by_neighbours(const At& at, std::size_t size, std::uint32_t* number, Workers& workers,
                                 const Poll& poll) {
  using Point = std::remove_cvref_t<decltype(at(0))>;
  constexpr std::size_t kBatch = 64, kAtOnce = 64 * kBatch;
  // Few blocks: where one begins, nothing near is recent.
  const std::size_t block = std::max<std::size_t>(1 << 14, size / (4 * workers.count()) / kBatch * kBatch);
  const std::size_t threads = std::min<std::size_t>(workers.count(), (size + block - 1) / block);
  // Memory that no point is written to is not taken from the system.
  Buffer<Point> points;
  points.resize(size + size / 32 + (threads + 1) * kAtOnce);
  std::atomic<std::size_t> next{0}, taken{0};
  workers.for_each(threads, [&](std::size_t) {
    Recent<Point> recent;
    Poll own = poll;
    std::size_t mine = 0, end = 0;
    const auto fill = [&] {  // with a position that is there anyway
      for (; mine < end; ++mine) points[mine] = at(0);
    };
    for (std::size_t begin; (begin = next.fetch_add(block, std::memory_order_relaxed)) < size;)
      for (const std::size_t last = std::min(size, begin + block); begin < last; begin += kBatch) {
        own(kBatch);
        if (end - mine < kBatch) {
          fill();
          mine = taken.fetch_add(kAtOnce, std::memory_order_relaxed);
          end = mine + kAtOnce;
        }
        for (std::size_t i = begin; i < std::min(last, begin + kBatch); ++i) {
          const Point& point = at(static_cast<std::uint32_t>(i));
          number[i] = recent.number(point, static_cast<std::uint32_t>(mine));
          if (number[i] == mine) [[unlikely]]
            points[mine++] = point;
        }
      }
    fill();
  });
  Buffer<std::uint32_t> merged;
  const Point* const all = points.data();
  const std::uint64_t bound =
      weld_by_table([all](std::uint32_t i) -> const Point& { return all[i]; }, taken, merged.resize(taken), workers,
                    poll, Equal::numbered, std::bit_ceil(taken + taken / 3));
  workers.for_blocks(size, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) number[i] = merged[number[i]];
  });
  return bound;
}

/// For each of `size` positions, the first position equal to it, or a number; at(i) is a position. Returns a bound of
/// what is in `first`.
template <typename At>
std::uint64_t weld(const At& at, std::size_t size, std::uint32_t* first, Workers& workers, const Poll& poll = {},
                   Equal which = Equal::first) {
  if (which == Equal::numbered && neighbours_share(at, size)) return weld_by_neighbours(at, size, first, workers, poll);
  // A file of separate triangles has each position about six times: a third of the size is room enough, and the smaller
  // table stays nearer to the processor. If it fills up, a table for all of them follows.
  return weld_by_table(at, size, first, workers, poll, which,
                       size < (1 << 20) ? ~std::size_t{0} : std::bit_ceil(size / 3));
}
template <typename Point>
std::vector<std::uint32_t> weld(std::span<const Point> points, Workers& workers = Workers::none(),
                                const Poll& poll = {}) {
  std::vector<std::uint32_t> first = large_vector<std::uint32_t>(points.size());
  weld([points](std::uint32_t i) -> const Point& { return points[i]; }, points.size(), first.data(), workers, poll);
  return first;
}

/// Calls visit(at), where at(i) is a position of the mesh.
template <typename Visit>
auto with_positions(const MeshView& mesh, const Visit& visit) {
  if (mesh.is_placed()) return visit([&mesh](std::uint32_t i) { return mesh.position(i); });
  if (mesh.positions.is_double())
    return visit([points = mesh.positions.f64()](std::uint32_t i) -> const Vec3d& { return points[i]; });
  return visit([points = mesh.positions.f32()](std::uint32_t i) -> const Vec3f& { return points[i]; });
}

/// The weld of the positions of a mesh.
inline std::uint64_t weld(const MeshView& mesh, std::uint32_t* first, Workers& workers, const Poll& poll, Equal which) {
  return with_positions(mesh,
                        [&](const auto& at) { return weld(at, mesh.positions.size(), first, workers, poll, which); });
}
inline std::vector<std::uint32_t> weld(const MeshView& mesh, Workers& workers = Workers::none(),
                                       const Poll& poll = {}) {
  std::vector<std::uint32_t> first = large_vector<std::uint32_t>(mesh.positions.size());
  weld(mesh, first.data(), workers, poll, Equal::first);
  return first;
}

}  // namespace sightline
