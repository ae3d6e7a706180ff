// The oracle of overlaps: ∫ w(a) w(b) and its first moments in rational arithmetic.
//
// A closed surface is a sum of tetrahedra with signs: each triangle with one common apex. So the integral is a sum over
// pairs of tetrahedra, one of each part, of the volume they have in common, which is found by clipping a tetrahedron at
// four planes. Nothing of this is in src/: no contact, no winding number, no perturbation.
#pragma once

#include <gmpxx.h>

#include <array>
#include <vector>

#include "sightline/mesh.h"

namespace oracle {

using RationalPoint = std::array<mpq_class, 3>;
using Tetrahedron = std::array<RationalPoint, 4>;

inline RationalPoint rational(const sightline::Vec3d& p) { return {mpq_class(p[0]), mpq_class(p[1]), mpq_class(p[2])}; }

/// Six times the signed volume.
inline mpq_class six_volume(const RationalPoint& o, const RationalPoint& a, const RationalPoint& b,
                            const RationalPoint& c) {
  mpq_class d[3][3];
  for (int k = 0; k < 3; ++k) d[0][k] = a[k] - o[k], d[1][k] = b[k] - o[k], d[2][k] = c[k] - o[k];
  return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) + d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}
inline mpq_class six_volume(const Tetrahedron& t) { return six_volume(t[0], t[1], t[2], t[3]); }

/// The point of pq where a linear function with these values vanishes.
inline RationalPoint zero_between(const RationalPoint& p, const RationalPoint& q, const mpq_class& at_p,
                                  const mpq_class& at_q) {
  const mpq_class t = at_p / (at_p - at_q);
  return {mpq_class(p[0] + t * (q[0] - p[0])), mpq_class(p[1] + t * (q[1] - p[1])),
          mpq_class(p[2] + t * (q[2] - p[2]))};
}

/// The part of the tetrahedron where the function with these values at its corners is positive, as tetrahedra.
inline void clip(const Tetrahedron& t, const std::array<mpq_class, 4>& value, std::vector<Tetrahedron>& out) {
  std::vector<int> in, off;
  for (int i = 0; i < 4; ++i) (sgn(value[i]) > 0 ? in : off).push_back(i);
  if (in.empty()) return;
  const auto cut = [&](int i, int o) { return zero_between(t[i], t[o], value[i], value[o]); };
  if (off.empty()) {
    out.push_back(t);
  } else if (in.size() == 1) {
    out.push_back({t[in[0]], cut(in[0], off[0]), cut(in[0], off[1]), cut(in[0], off[2])});
  } else {
    // A prism between two triangles.
    std::array<RationalPoint, 3> p, q;
    if (in.size() == 3)
      for (int i = 0; i < 3; ++i) p[i] = t[in[i]], q[i] = cut(in[i], off[0]);
    else
      p = {t[in[0]], cut(in[0], off[0]), cut(in[0], off[1])}, q = {t[in[1]], cut(in[1], off[0]), cut(in[1], off[1])};
    out.push_back({p[0], p[1], p[2], q[0]});
    out.push_back({p[1], p[2], q[0], q[1]});
    out.push_back({p[2], q[0], q[1], q[2]});
  }
}

struct Integral {
  mpq_class volume = 0;
  RationalPoint moment = {0, 0, 0};
};

/// Signed tetrahedra of a closed surface.
struct SignedTetrahedron {
  Tetrahedron at;
  int sign;
  sightline::Vec3d low, high;
};
inline std::vector<SignedTetrahedron> tetrahedra(const sightline::MeshView& mesh) {
  std::vector<SignedTetrahedron> all;
  const sightline::Vec3d o = mesh.corners(0)[0];
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto c = mesh.corners(i);
    SignedTetrahedron t{{rational(o), rational(c[0]), rational(c[1]), rational(c[2])}, 0, o, o};
    t.sign = sgn(six_volume(t.at));
    for (const auto& p : c)
      for (int k = 0; k < 3; ++k) t.low[k] = std::min(t.low[k], p[k]), t.high[k] = std::max(t.high[k], p[k]);
    if (t.sign != 0) all.push_back(t);
  }
  return all;
}

inline Integral common(const SignedTetrahedron& a, const SignedTetrahedron& b) {
  Integral integral;
  for (int k = 0; k < 3; ++k)
    if (a.low[k] >= b.high[k] || b.low[k] >= a.high[k]) return integral;
  std::vector<Tetrahedron> pieces{a.at};
  for (int i = 0; i < 4 && !pieces.empty(); ++i) {
    const RationalPoint &p = b.at[(i + 1) % 4], &q = b.at[(i + 2) % 4], &r = b.at[(i + 3) % 4];
    const int inner = sgn(six_volume(p, q, r, b.at[i]));
    std::vector<Tetrahedron> next;
    for (const Tetrahedron& t : pieces) {
      std::array<mpq_class, 4> value;
      for (int k = 0; k < 4; ++k) value[k] = six_volume(p, q, r, t[k]) * inner;
      clip(t, value, next);
    }
    pieces = std::move(next);
  }
  for (const Tetrahedron& t : pieces) {
    const mpq_class v = abs(six_volume(t)) * (a.sign * b.sign);
    integral.volume += v / 6;
    for (int k = 0; k < 3; ++k) integral.moment[k] += v * (t[0][k] + t[1][k] + t[2][k] + t[3][k]) / 24;
  }
  return integral;
}

inline Integral overlap(const sightline::MeshView& a, const sightline::MeshView& b) {
  Integral sum;
  const auto of_b = tetrahedra(b);
  for (const SignedTetrahedron& t : tetrahedra(a))
    for (const SignedTetrahedron& u : of_b) {
      const Integral one = common(t, u);
      sum.volume += one.volume;
      for (int k = 0; k < 3; ++k) sum.moment[k] += one.moment[k];
    }
  return sum;
}

}  // namespace oracle
