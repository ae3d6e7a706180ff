// Weld: positions equal bit for bit (with -0 = +0) are one vertex.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/poll.h"
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

/// For each position whose hash falls into `part` of `parts`, the first position equal to it; the entries of other
/// positions are not written. at(i) is a position. Parts can run at the same time. Open addressing in index order, so
/// that the first of equal positions wins. Positions are finite, so == is equality of bits with -0 = +0.
template <typename At>
void weld_part(const At& at, std::size_t size, std::size_t part, std::size_t parts, std::uint32_t* first,
               Poll poll = {}) {
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  const std::size_t expected = size / parts + size / (4 * parts) + 16;
  std::size_t slots = std::bit_ceil(expected + expected / 2);
  std::vector<std::uint32_t> table(slots, kNone);
  std::size_t used = 0;
  const auto slot_of = [&slots](std::uint64_t hash) {
    return (hash * 0xD6E8FEB86659FD93u) >> (64 - std::countr_zero(slots));
  };
  const auto find = [&](std::uint32_t index, std::size_t slot) {
    while (table[slot] != kNone && at(table[slot]) != at(index)) slot = (slot + 1) & (slots - 1);
    return slot;
  };
  const auto grow = [&] {
    const std::vector<std::uint32_t> old = std::move(table);
    slots *= 2;
    table.assign(slots, kNone);
    for (const std::uint32_t index : old) {
      poll();
      if (index != kNone) table[find(index, slot_of(position_hash(at(index))))] = index;
    }
  };
  constexpr std::size_t kBatch = 64;  // slots are fetched a batch ahead: the table does not fit a cache
  std::uint32_t mine[kBatch];
  std::size_t slot[kBatch];
  for (std::size_t begin = 0; begin < size; begin += kBatch) {
    poll(kBatch);
    if (2 * (used + kBatch) > slots) grow();
    std::size_t count = 0;
    for (std::size_t i = begin; i < std::min(begin + kBatch, size); ++i) {
      const std::uint64_t hash = position_hash(at(static_cast<std::uint32_t>(i)));
      if ((hash & 0xFFFF) % parts != part) continue;
      mine[count] = static_cast<std::uint32_t>(i);
      slot[count] = slot_of(hash);
      __builtin_prefetch(&table[slot[count++]], 1);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t s = find(mine[i], slot[i]);
      if (table[s] == kNone) {
        table[s] = mine[i];
        ++used;
      }
      first[mine[i]] = table[s];
    }
  }
}

template <typename Point>
std::vector<std::uint32_t> weld(std::span<const Point> points, const Poll& poll = {}) {
  std::vector<std::uint32_t> first(points.size());
  weld_part([points](std::uint32_t i) -> const Point& { return points[i]; }, points.size(), 0, 1, first.data(), poll);
  return first;
}

/// The weld of the positions of a mesh.
inline std::vector<std::uint32_t> weld(const MeshView& mesh, const Poll& poll = {}) {
  if (!mesh.is_placed())
    return mesh.positions.is_double() ? weld(mesh.positions.f64(), poll) : weld(mesh.positions.f32(), poll);
  std::vector<std::uint32_t> first(mesh.positions.size());
  weld_part([&mesh](std::uint32_t i) { return mesh.position(i); }, first.size(), 0, 1, first.data(), poll);
  return first;
}

}  // namespace sightline
