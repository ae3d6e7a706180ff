// Error bounds of the floating-point filters: every constant that an answer depends on, with its derivation.
// docs/bounds.md has the table of them. The proofs that a machine can check are Gappa scripts, written by
// tests/rules/gappa_test.cpp from these constants; the rest is argued here and tested against rationals
// (tests/rules).
//
// The arithmetic is IEEE: round to nearest, gradual underflow, no reassociation. A product and a sum may be fused
// unless a derivation excludes it. u is the unit roundoff, 2^-24 or 2^-53; h is half of the least subnormal number,
// 2^-150 or 2^-1075. Each operation returns x (1 + d) with |d| <= u / (1 + u) where its exact result x is normal or the
// operation is an addition, and otherwise x + e with |e| <= h.
#pragma once

#include "exact/wide_int.h"

namespace sightline::rules {

template <typename T>
struct Unit;
template <>
struct Unit<float> {
  static constexpr float kRoundoff = 0x1p-24f;
};
template <>
struct Unit<double> {
  static constexpr double kRoundoff = 0x1p-53;
};

// Orientation of four points: (b - a) x (c - a) . (p - a), evaluated as a sum of n_k d_k with n_x = p_y q_z - p_z q_y
// and so on.
//
// Each of the six terms passes at most 8 roundings: three differences, two products, a subtraction, two additions
// (fused operations save some). So a term is off by at most (1 + u)^8 - 1 of itself, which is below 8.01 u. With
//   P = sum over k of (|p q| + |p q|)_k |d_k|, as computed,
// which passes 5 roundings, each downwards at worst, the sum is off by at most 8.01 u P / (1 - u)^5. The bound
// kTerms u P + tiny itself is rounded twice more. kTerms = 9 covers all of it.
//
// Underflow: the two products in n_k are off by h each, n_k d_k by h, and the same in P; together less than
// 5 h (1 + |d_x| + |d_y| + |d_z|).
//
// Overflow: |n_k d_k| and every partial sum of them, as computed, are at most their counterparts in P. Where one of
// them is infinite or not a number, so is P, and nothing is certain.
inline constexpr int kTerms = 9;

}  // namespace sightline::rules
