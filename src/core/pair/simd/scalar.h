// The reference kernel: no vectors, no float filter. Every pair whose boxes overlap goes to the exact decision.
#pragma once

#include "pair/group.h"

namespace sightline {

/// Boxes of all records, quantised to the region: any monotone map keeps overlapping boxes overlapping.
inline void quantise_boxes_scalar(Group& group) {
  for (int axis = 0; axis < 3; ++axis) {
    const float low = group.low[axis], extent = group.high[axis] - low;
    const float scale = extent > 0x1p-100f ? 255.0f / extent : 0.0f;
    const auto level = [&](float x) {
      const float q = (x - low) * scale;
      return static_cast<std::int8_t>(static_cast<int>(q > 0 ? (q < 255 ? q : 255.0f) : 0.0f) - 128);
    };
    for (int i = 0; i < group.size; ++i) {
      const float* r = group.record[i];
      const float a = r[axis], b = r[4 + axis], c = r[8 + axis];
      group.box[axis][i] = level(a < b ? (a < c ? a : c) : (b < c ? b : c));
      group.box[3 + axis][i] = level(a > b ? (a > c ? a : c) : (b > c ? b : c));
    }
  }
}

inline bool boxes_overlap(const Group& group, int i, int j) {
  for (int axis = 0; axis < 3; ++axis)
    if (group.box[axis][i] > group.box[3 + axis][j] || group.box[axis][j] > group.box[3 + axis][i]) return false;
  return true;
}

/// True if this group is the place for the pair: on each axis one of the two has its least corner here, and the two
/// objects are to be tested.
inline bool pair_belongs(const Group& group, int i, int j) {
  const auto bit = [](const std::uint64_t* words, int k) { return (words[k / 64] >> (k % 64) & 1) != 0; };
  for (const auto& claims : group.claims)
    if (!bit(claims, i) && !bit(claims, j)) return false;
  return group.one_object || !bit(group.kin[group.kind[i]], j);
}

inline void scalar_group_kernel(Group& group, Sharing, PairLists& lists, PairSink& sink) {
  quantise_boxes_scalar(group);
  const int rows = group.split > 0 ? group.split : group.size;
  for (int i = 0; i < rows; ++i) {
    for (int j = group.split > 0 ? group.split : i + 1; j < group.size; ++j) {
      if (!boxes_overlap(group, i, j) || !pair_belongs(group, i, j)) continue;
      ++lists.candidate_count;
      lists.undecided[lists.undecided_count++] = static_cast<std::uint32_t>(i | j << 8);
    }
    if (lists.undecided_count >= PairLists::kFlush) sink.take(group, lists);
  }
  sink.take(group, lists);
}

}  // namespace sightline
