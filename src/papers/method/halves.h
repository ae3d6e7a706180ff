// Regions of an object with itself (`self`), for the method `peel`.
//
// The object is halved, and its halves again, until a part has at most kLeaf triangles. The two halves of a part are
// peeled against each other as two objects are, where their boxes overlap. Two triangles are in different halves of
// exactly one part, or in the same leaf. Pairs within a leaf, and pairs of halves that have few triangles where their
// boxes overlap, go to the exact test if their own boxes meet. So each pair of triangles is looked at once, and
// triangles that share a vertex are decided by the exact test as all others are.
#pragma once

#include "method/roi.h"

namespace sightline::papers::method {

/// Appends regions of the object's halves, and pairs of triangles within its leaves (the smaller index first).
void halve(const Scene& scene, std::uint32_t object, std::vector<Region>& regions,
           std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);

}  // namespace sightline::papers::method
