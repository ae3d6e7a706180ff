// The error bounds of core/rules, proven by Gappa from the constants that the code uses.
//
// Gappa has intervals, but no sums of absolute values, so each bound is proven in parts. "Terms": a term of a
// determinant, with all the roundings that it passes, differs from the exact one by at most so many u. "Bounds": the
// coefficient of each part of a bound, with all roundings on the way to the comparison, is at least what the derivation
// in bounds.h needs. That the parts add up is argued there, and tested by plane_test and kernel_bounds_test.
//
// A rounding is Gappa's own operator on any real number of normal size; rounded() returns its factor, computed over
// exact. A sum's rounding has the same factor for each of the numbers that are added, so what else is added is a free
// variable. Multiplications by powers of two are exact and left out.
#include "gappa.h"

#include <gtest/gtest.h>

#include <functional>

#include "rules/box_side.h"
#include "rules/shadow.h"

namespace {

using gappa::exact;
using gappa::product;
using gappa::Script;
using Format = Script::Format;
namespace rules = sightline::rules;
using Factors = std::vector<std::string>;

/// What the bounds are made of, so that a test can make one of them smaller.
struct Constants {
  double terms = rules::kTerms, turns = rules::kTurns;
  double tiny_float = rules::Tiny<float>::kTiny, tiny_double = rules::Tiny<double>::kTiny, tiny_box = rules::kTinyBox;
  double edges = rules::kEdges, corners = rules::kCorners, tiny_plane = rules::kTinyPlane;
  double sides = rules::kSides, pad = rules::kPad, tiny_norm = rules::kTinyNorm;
  double across = rules::kAcross, moved = rules::kMoved;
  double local_edges = rules::kLocalEdges, local_areas = rules::kLocalAreas;
  double most_scaled = rules::kMostScaled, grow = rules::kGrow;
  double shadow = rules::kShadow, link = rules::kLink;
  double depth_terms = rules::kDepthTerms, depth_error = rules::kDepthError, depth_spare = rules::kDepthSpare;
};

double roundoff(Format format) { return format == Format::single ? 0x1p-24 : 0x1p-53; }

/// k roundings are off by k u and a little, for terms of higher order and for coordinates that were rounded twice, to
/// double and to float.
double about(double k) { return k * 1.001; }

Factors operator+(Factors a, const Factors& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// ---- Terms

/// Differences p, q, r; the product p q, the subtraction that makes a component of the normal, the product with r, two
/// additions. Fused, the term whose product is rounded by itself has the most roundings.
Script orientation_terms(Format format, bool fused) {
  Script s(format);
  Factors exact_over_computed, computed;
  for (const std::string name : {"p", "q", "r"})
    exact_over_computed.push_back("(1 / " + s.rounded(name, name + "_") + ")");
  computed = {s.rounded("pq", "p * q"), s.rounded("n", "pq - a")};
  if (fused) {
    computed.push_back(s.rounded("s1", "n * r + b"));
  } else {
    computed.push_back(s.rounded("nr", "n * r"));
    computed.push_back(s.rounded("s1", "nr + b"));
  }
  computed.push_back(s.rounded("s2", "s1 + c"));
  s.at_most("|" + product(computed) + " - " + product(exact_over_computed) + "|", about(8) * roundoff(format));
  return s;
}

Script turn_terms(Format format) {
  Script s(format);
  const Factors exact_over_computed = {"(1 / " + s.rounded("p", "p_") + ")", "(1 / " + s.rounded("q", "q_") + ")"};
  const Factors computed = {s.rounded("pq", "p * q"), s.rounded("n", "pq - a")};
  s.at_most("|" + product(computed) + " - " + product(exact_over_computed) + "|", about(4) * roundoff(format));
  return s;
}

/// A term of a plane's depth: the difference of depths, a product, the subtraction, the quotient by the area, the
/// product with a distance, and four additions. `half`: of half of what depth changes over a pixel.
Script depth_terms() {
  Script s(Format::twice);
  const Factors slope = {s.rounded("z", "z_"), s.rounded("zy", "z * y"), s.rounded("n", "zy - a"),
                         s.rounded("d", "n / area")};
  const Factors at = {s.rounded("dx", "d * x"), s.rounded("s1", "dx + b"), s.rounded("s2", "s1 + c"),
                      s.rounded("s3", "s2 + e"), s.rounded("s4", "s3 + f")};
  const Factors half = {s.rounded("d2", "d + g"), s.rounded("dh", "d2 * h"), s.rounded("s5", "dh + i")};
  s.at_most("|" + product(slope + at) + " - 1|", about(9) * roundoff(Format::twice));
  s.at_most("|" + product(slope + half) + " - 1|", about(7) * roundoff(Format::twice));
  return s;
}

/// A term of the camera's map, and the way of a corner through clipping: each 6 roundings at most.
Script corner_terms() {
  Script s(Format::twice);
  const Factors f = {s.rounded("d", "d_"),      s.rounded("dr", "d * r"),     s.rounded("s1", "dr + a"),
                     s.rounded("s2", "s1 + b"), s.rounded("x", "s2 * scale"), s.rounded("y", "x + offset")};
  s.at_most("|" + product(f) + " - 1|", about(6) * roundoff(Format::twice));
  return s;
}

/// A term of a shadow: the difference, the product with the direction, two additions.
Script shadow_terms() {
  Script s(Format::twice);
  const Factors f = {s.rounded("e", "e_"), s.rounded("de", "d * e"), s.rounded("s1", "de + a"),
                     s.rounded("s2", "s1 + b")};
  s.at_most("|" + product(f) + " - 1|", about(4) * roundoff(Format::twice));
  return s;
}

/// A term of a spoke: the difference, the product with the frame, two additions.
Script link_terms() { return shadow_terms(); }

/// A component c of a spoke's direction: the spoke and its greatest component are off by `spoke`, and the quotient
/// rounds.
constexpr double kSpoke = 7 * 0x1p-53, kDirection = 15.1 * 0x1p-53;
Script link_directions() {
  Script s(Format::twice);
  s.at_most(exact(1.001 * 1.0001 * 1.7321 / 0.999) + " * " + exact(about(4) * 0x1p-53), kSpoke);
  s.assume("c in [-1, 1]");
  s.assume("t in [-" + exact(kSpoke) + ", " + exact(kSpoke) + "]");
  s.assume("y in [-" + exact(1.001 * kSpoke) + ", " + exact(1.001 * kSpoke) + "]");  // of 1 / (1 + t)
  s.assume("r in [-1b-53, 1b-53]");
  s.at_most("|c * ((1 + y) * (1 + r) - 1) + t * ((1 + y) * (1 + r))|", kDirection);
  return s;
}

/// Underflow: half of the least subnormal number at most.
Script underflow(Format format) {
  Script s(format);
  const int least = format == Format::single ? -125 : -1021;
  s.assume("|x| in [0, 1b" + std::to_string(least) + "]");
  s.prove("|rnd(x) - x| <= 1b" + std::to_string(format == Format::single ? -150 : -1075));
  return s;
}

// ---- Bounds

/// kTerms u P + kTiny (1 + reach). Underflow needs `underflow` times 2^-150 or 2^-1075 of the latter; 2^k of that
/// are compared, since doubles do not have it.
Script orientation_bound(Format format, double terms, double tiny, double underflow) {
  Script s(format);
  const Factors permanent = {s.rounded("pq", "p * q"), s.rounded("n", "pq + a"), s.rounded("nr", "n * r"),
                             s.rounded("s1", "nr + b"), s.rounded("s2", "s1 + c")};
  const double relative = terms * roundoff(format);
  const Factors reach = {s.rounded("d1", "dx + dy"), s.rounded("d2", "d1 + dz"), s.rounded("d3", "1 + d2"),
                         s.rounded("t", exact(tiny) + " * d3")};
  const std::string scaled = s.rounded("v", exact(relative) + " * s2"), sum = s.rounded("bound", "v + t");
  s.at_least(exact(relative) + " * " + product(permanent + Factors{scaled, sum}), about(8) * roundoff(format));
  const int h = format == Format::single ? -150 : -1075;
  s.at_least(exact(tiny * 0x1p500) + " * " + product(reach + Factors{sum}), std::ldexp(about(underflow), h + 500));
  return s;
}

Script turn_bound(Format format, double turns, double tiny) {
  Script s(format);
  const double relative = turns * roundoff(format);
  const Factors f = {s.rounded("pq", "p * q"), s.rounded("n", "pq + a"), s.rounded("v", exact(relative) + " * n"),
                     s.rounded("bound", "v + " + exact(tiny))};
  s.at_least(exact(relative) + " * " + product(f), about(4) * roundoff(format));
  const int h = format == Format::single ? -150 : -1075;
  s.at_least(exact(tiny * 0x1p500) + " * " + f.back(), std::ldexp(about(4), h + 500));
  return s;
}

/// kTinyPlane (1 + reach + slop)^2. 1 + reach + slop is at least 1: the products with kTinyPlane are at least 2^-140;
/// the worst is where they are subnormal.
Factors tiny_plane(Script& s, const Constants& c) {
  return {s.rounded("one", "1 + all"), s.rounded("t1", exact(c.tiny_plane) + " * one", -140, -125),
          s.rounded("t2", "t1 * one", -140, -125)};
}

/// by_permanent Q + by_edges S + constant: PlaneBound::of and prepare.
Script plane_bound(const Constants& c, bool fused) {
  constexpr double u = 0x1p-24;
  Script s(Format::single);
  const Factors q = {s.rounded("pq", "p * q"), s.rounded("q1", "pq + a1"), s.rounded("q2", "q1 + a2"),
                     s.rounded("q3", "q2 + a3")};
  const Factors edges = {s.rounded("e1", "e + b1"), s.rounded("e2", "e1 + b2"), s.rounded("e3", "e2 + b3")};
  const std::string all = s.rounded("all", "reach + slop");
  const Factors wide = {s.rounded("v", exact(u) + " * slop"), s.rounded("wide", "reach + 2 * v")};
  const std::string by_permanent = s.rounded("bp", exact(c.terms * u) + " * all");
  const Factors by_edges = {s.rounded("kv", exact(c.edges) + " * v"), s.rounded("be", "kv * wide")};
  const Factors corners = {s.rounded("cv", exact(c.corners) + " * v"), s.rounded("vw", "v * wide"),
                           s.rounded("cc", "cv * vw")};
  const Factors tiny = tiny_plane(s, c);
  const std::string constant = s.rounded("k", "cc + t2");
  Factors inner, outer;  // of S and the constant; of Q
  if (fused) {
    inner = {s.rounded("sum", "be * e3 + k"), s.rounded("bound", "bp * q3 + sum")};
    outer = {inner[1]};
  } else {
    inner = {s.rounded("sum", "m + k"), s.rounded("bound", "m2 + sum")};
    outer = {s.rounded("m3", "bp * q3"), inner[1]};
    inner.push_back(s.rounded("m4", "be * e3"));
  }
  s.at_least(exact(c.terms) + " * " + product(q + Factors{all, by_permanent} + outer), about(8));
  s.at_least(exact(c.edges) + " * " + product(edges + wide + by_edges + inner), about(4));
  s.at_least(exact(c.corners) + " * " + product(wide + corners + Factors{constant} + wide + inner), about(24));
  s.at_least(exact(c.tiny_plane * 0x1p150) + " * " + product(tiny + Factors{constant} + inner), 0x1p9);
  return s;
}

/// kTerms u p' q' r' + kSides v (p' q' + q' r' + r' p'), or kSides v q' (p' + r') along a direction.
Script norm_bound(const Constants& c, bool along, bool fused) {
  Script s(Format::single);
  const Factors norm = {s.rounded("n1", "e + a"), s.rounded("n2", "n1 + b")};  // of one vector; all are alike
  const Factors pad = {s.rounded("v", exact(c.pad * 0x1p-24) + " * slop"),
                       s.rounded("pad", exact(c.tiny_norm) + " + v")};
  const std::string padded = s.rounded("p", "n2 + pad");
  const Factors each = norm + Factors{padded}, three = each + each + each, two = each + each;
  const std::string by_sides = s.rounded("bs", exact(c.sides) + " * slop");
  Factors volume = {s.rounded("pq", "p * q"), s.rounded("kpq", exact(c.terms) + " * pq")}, sides;
  if (along) {
    sides = {s.rounded("sq", "bs * q"), s.rounded("pr", "p + r"), s.rounded("side", "sq * pr")};
  } else {
    sides = {s.rounded("side1", "f + g"), s.rounded("side2", fused ? "side1 * r + h" : "m1 + h"),
             s.rounded("side", "bs * side2")};
    if (!fused) sides.push_back(s.rounded("m2", "side1 * r"));
    sides.push_back(volume[0]);
  }
  const std::string sum = s.rounded("sum", fused ? "kpq * r + side" : "m3 + side");
  if (!fused) volume.push_back(s.rounded("m4", "kpq * r"));
  const std::string volumes = exact(c.terms) + " * " + product(three + volume + Factors{sum});
  s.at_least(volumes, about(8));
  // What is left of kTerms u p' q' r' covers underflow, 2 h r + 3 h + 6 h 2^30 p' q' r', with norms of kTinyNorm at
  // least.
  const std::string left = "(" + volumes + " - " + exact(about(8)) + ") * 1b-24", tiny = exact(c.tiny_norm);
  s.at_least(left + " * " + tiny + " * " + tiny + " - 1b-150 * (2 + 3 / " + tiny + ")", 0);
  s.at_least(left + " - 6 * 1b-120", 0);
  const std::string coefficient = exact(c.sides) + " * " + product(two + Factors{by_sides} + sides + Factors{sum});
  const std::string padding = exact(c.pad) + " * " + product(pad + Factors{padded});
  s.at_least(coefficient, about(2));
  s.at_least("2 * (" + coefficient + ") * (" + padding + ")", about(8));  // v^2 (p + q + r), or v^2 q
  if (!along) s.at_least("3 * (" + coefficient + ") * (" + padding + ") * (" + padding + ")", about(48));
  return s;
}

/// m . (x - o): the difference, the product, two additions. Fused or not, the first product passes all of them.
Script direction_terms() {
  Script s(Format::single);
  const std::string exact_over_computed = "(1 / " + s.rounded("d", "d_") + ")";
  const Factors computed = {s.rounded("md", "m * d"), s.rounded("s1", "md + a"), s.rounded("s2", "s1 + b")};
  s.at_most("|" + product(computed) + " - " + exact_over_computed + "|", about(4) * roundoff(Format::single));
  return s;
}

/// |m| by_norm + constant, compared with a value, or with half of a difference of two: DirectionBound and Across.
Script direction_bound(const Constants& c, bool fused) {
  Script s(Format::single);
  const Factors norm = {s.rounded("n1", "e + a"), s.rounded("n2", "n1 + b")};
  const std::string by_reach = s.rounded("br", exact(c.across) + " * reach"),
                    by_slop = s.rounded("bs", exact(c.moved) + " * slop"), by_norm = s.rounded("bn", "br + bs");
  s.rounded("all", "reach + slop");
  const Factors tiny = tiny_plane(s, c);
  // The last one: the exact difference over the computed one.
  const Factors rest = {s.rounded("bound", fused ? "n2 * bn + k" : "m + k"),
                        "(1 / " + s.rounded("gap", "to - from") + ")"};
  const Factors by = fused ? rest : rest + Factors{s.rounded("nb", "n2 * bn")};
  s.at_least(exact(c.across) + " * " + product(norm + Factors{by_reach, by_norm} + by), about(4));
  s.at_least(exact(c.moved) + " * " + product(norm + Factors{by_slop, by_norm} + by), about(2));
  s.at_least(exact(c.tiny_plane * 0x1p150) + " * " + product(tiny + rest), 0x1p9);
  return s;
}

/// The planes of the GPU: LocalBound.
Script local_bound(const Constants& c) {
  Script s(Format::single);
  constexpr double u = 0x1p-24;
  const Factors q = {s.rounded("pq", "p * q"),
                     s.rounded("q1", "pq + a1"),
                     s.rounded("q2", "q1 + a2"),
                     s.rounded("q3", "q2 + a3"),
                     s.rounded("q4", "q3 + a4"),
                     s.rounded("q5", "q4 + a5"),
                     s.rounded("weight", "q5 + " + exact(rules::Tiny<float>::kTiny / rules::LocalBound::kRelative))};
  const Factors reach = {s.rounded("d1", "dx + dy"), s.rounded("d2", "d1 + dz")};
  const double ratio = static_cast<float>(c.local_areas / (c.local_edges * c.local_edges)), relative = c.terms * u;
  const Factors edge = {s.rounded("edge", exact(c.local_edges) + " * extent")};
  const Factors wide = edge + Factors{s.rounded("wide", "edge * far")};
  const Factors base = {s.rounded("b1", exact(relative) + " * wide"), s.rounded("b2", "edge * " + exact(ratio)),
                        s.rounded("b3", "b1 * b2"), s.rounded("base", "b3 + " + exact(c.tiny_float))};
  const std::string slope = s.rounded("slope", "weight + wide"), at = s.rounded("at", "slope * d2"),
                    bound = s.rounded("bound", exact(relative) + " * at + base");
  const Factors rest = reach + Factors{at, bound};
  s.at_least(exact(c.terms) + " * " + product(q + Factors{slope} + rest), about(8));
  // E / v where an answer is certain: |det| <= 2 E^2 |d| (1 + 6 u).
  const std::string edges = "(" + exact(c.terms * c.local_edges) + " * " + product(wide + Factors{slope} + rest) + ")",
                    areas = "(" + exact(c.terms * c.local_edges * c.local_edges * ratio) + " * " +
                            product(wide + edge + base + Factors{bound}) + ")";
  const std::string least = "(" + edges + " / 2.00001)";
  s.at_least(edges + " - 8.008 * (1 + 1 / " + least + ")", 0);
  s.at_least(areas + " - 12.012 - 48.048 * (1 / " + least + " + 1 / (" + least + " * " + least + "))", 0);
  s.at_least(exact(c.tiny_float * 0x1p100) + " * " + bound, std::ldexp(about(5), -50));
  return s;
}

/// The depth of a plane: kDepthTerms u Z X^2 / A is at least 36 u Z L X / A for the sample, and 4 · 7 u Z L 129 / A
/// with 129 <= X / 3.9 for half of a pixel's change.
Script depth_bound(const Constants& c) {
  Script s(Format::twice);
  const Factors f = {s.rounded("range", "z - y"), s.rounded("r1", exact(c.depth_terms * 0x1p-53) + " * range"),
                     s.rounded("r2", "r1 * x"), s.rounded("r3", "r2 * x"), s.rounded("error", "r3 / area")};
  s.at_least(exact(c.depth_terms) + " * " + product(f), about(4 * 9 + 4 * 7 / 3.9));
  return s;
}

/// Corners: 12 roundings of at most kMostScaled, with half a subpixel for snapping within kGrow, and in depth with the
/// plane's error and four roundings of 2^33 units within kDepthSpare.
Script corner_bound(const Constants& c) {
  Script s(Format::twice);
  s.assume("off in [0, " + exact(about(12) * 0x1p-53 * c.most_scaled) + "]");
  s.at_most("off + 0.5", c.grow);
  s.at_most("off + 4 * 1b33 * 1b-53 + " + exact(c.depth_error), c.depth_spare);
  return s;
}

/// Rows of the CPU raster (raster/cpu/tile.h): where an edge is passed. A half-integer over an integer below 2^23 is at
/// least 2^-24 away from whole numbers; what is computed, for columns up to 64, is nearer than that.
Script span_bound() {
  Script s(Format::twice);
  const Factors f = {s.rounded("cross", "1 / dx"), s.rounded("at", "edge * cross")};
  s.assume("quotient in [-65, 65]");
  s.at_most("|quotient * (" + product(f) + " - 1)|", 0x1p-45);
  return s;
}

/// Three terms of at most 2 each, and the rounding of the interval's end.
Script shadow_bound(const Constants& c) {
  Script s(Format::twice);
  s.assume("off in [0, " + exact(6 * about(4) * 0x1p-53) + "]");
  s.at_most("off + 6.01 * 1b-53", c.shadow * 0x1p-53);
  return s;
}

/// A component c of a spoke, off by x, stretched by f, off by 1 + y, and the roundings of the product and of the
/// interval's end. f = 1 / g, g = 1 - 2 D / 3 >= 1/3 - w: D is off by two components and a rounding, and 2/3, the
/// product and the difference are rounded (r). That is a sight; for a link with g = 1 - D / 2 all of it is less.
Script link_bound(const Constants& c) {
  Script s(Format::twice);
  const std::string u = "1b-53";
  const double difference = 2.0 / 3 * (2 * kDirection + 1.01 * 0x1p-53);
  s.assume("w in [-" + exact(difference) + ", " + exact(difference) + "]");
  s.assume("r in [-" + exact(2.4 * 0x1p-53) + ", " + exact(2.4 * 0x1p-53) + "]");
  s.at_most("|w + r| / 0.33333", 70 * 0x1p-53);  // of g
  s.assume("y in [-" + exact(71.1 * 0x1p-53) + ", " + exact(71.1 * 0x1p-53) + "]");
  s.assume("x in [-" + exact(kDirection) + ", " + exact(kDirection) + "]");
  s.assume("z in [-1b-53, 1b-53]");
  s.assume("c in [-1, 1]");
  s.assume("f in [1, 3.00001]");
  s.at_most("|f * ((c + x) * ((1 + y) * (1 + z) - 1) + x)| + 1.01 * " + u, c.link * 0x1p-53);
  return s;
}

struct Proof {
  std::string name;
  std::function<Script(const Constants&)> script;
};
std::vector<Proof> proofs() {
  std::vector<Proof> list;
  for (const Format f : {Format::single, Format::twice}) {
    const std::string type = f == Format::single ? "_float" : "_double";
    for (const bool fused : {false, true})
      list.push_back({std::string(fused ? "fused_" : "") + "orientation_terms" + type,
                      [=](const Constants&) { return orientation_terms(f, fused); }});
    list.push_back({"turn_terms" + type, [=](const Constants&) { return turn_terms(f); }});
    list.push_back({"underflow" + type, [=](const Constants&) { return underflow(f); }});
    list.push_back({"orientation_bound" + type, [=](const Constants& c) {
                      return orientation_bound(f, c.terms, f == Format::single ? c.tiny_float : c.tiny_double, 5);
                    }});
    list.push_back({"turn_bound" + type, [=](const Constants& c) {
                      return turn_bound(f, c.turns, f == Format::single ? c.tiny_float : c.tiny_double);
                    }});
  }
  list.push_back(
      {"box_bound", [](const Constants& c) { return orientation_bound(Format::twice, c.terms, c.tiny_box, 0x1p7); }});
  for (const bool fused : {false, true}) {
    const std::string how = fused ? "fused_" : "";
    list.push_back({how + "plane_bound", [=](const Constants& c) { return plane_bound(c, fused); }});
    list.push_back({how + "determinant_bound", [=](const Constants& c) { return norm_bound(c, false, fused); }});
    list.push_back({how + "direction_bound", [=](const Constants& c) { return direction_bound(c, fused); }});
    list.push_back({how + "along_bound", [=](const Constants& c) { return norm_bound(c, true, fused); }});
  }
  list.push_back({"direction_terms", [](const Constants&) { return direction_terms(); }});
  list.push_back({"local_bound", local_bound});
  list.push_back({"depth_terms", [](const Constants&) { return depth_terms(); }});
  list.push_back({"depth_bound", depth_bound});
  list.push_back({"corner_terms", [](const Constants&) { return corner_terms(); }});
  list.push_back({"corner_bound", corner_bound});
  list.push_back({"span_bound", [](const Constants&) { return span_bound(); }});
  list.push_back({"shadow_terms", [](const Constants&) { return shadow_terms(); }});
  list.push_back({"shadow_bound", shadow_bound});
  list.push_back({"link_terms", [](const Constants&) { return link_terms(); }});
  list.push_back({"link_directions", [](const Constants&) { return link_directions(); }});
  list.push_back({"link_bound", link_bound});
  return list;
}

class Gappa : public testing::TestWithParam<std::size_t> {};

TEST_P(Gappa, Proves) {
  const Proof proof = proofs()[GetParam()];
  const Script script = proof.script({});
  const gappa::Outcome outcome = gappa::run(script, proof.name);
  EXPECT_TRUE(outcome.proven) << outcome.output << script.text();
}
INSTANTIATE_TEST_SUITE_P(Bounds, Gappa, testing::Range<std::size_t>(0, proofs().size()),
                         [](const auto& info) { return proofs()[info.param].name; });

/// A constant that is smaller by a third or so (or larger, where that is the weaker side) is not proven.
struct Weaker {
  const char* proof;
  const char* name;
  double Constants::*constant;
  double factor;
};
void PrintTo(const Weaker& weaker, std::ostream* out) { *out << weaker.name << " times " << weaker.factor; }
const Weaker kWeaker[] = {
    {"orientation_bound_float", "terms", &Constants::terms, 0.7},
    {"orientation_bound_double", "terms", &Constants::terms, 0.7},
    {"turn_bound_float", "turns", &Constants::turns, 0.7},
    {"turn_bound_double", "turns", &Constants::turns, 0.7},
    {"plane_bound", "terms", &Constants::terms, 0.7},
    {"plane_bound", "edges", &Constants::edges, 0.7},
    {"plane_bound", "corners", &Constants::corners, 0.7},
    {"plane_bound", "tiny_plane", &Constants::tiny_plane, 0.4},
    {"determinant_bound", "terms", &Constants::terms, 0.7},
    {"determinant_bound", "sides", &Constants::sides, 0.7},
    {"determinant_bound", "pad", &Constants::pad, 0.7},
    {"along_bound", "terms", &Constants::terms, 0.7},
    {"along_bound", "sides", &Constants::sides, 0.7},
    {"along_bound", "pad", &Constants::pad, 0.6},
    {"direction_bound", "across", &Constants::across, 0.7},
    {"direction_bound", "moved", &Constants::moved, 0.7},
    {"direction_bound", "tiny_plane", &Constants::tiny_plane, 0.4},
    {"local_bound", "terms", &Constants::terms, 0.7},
    {"local_bound", "local_edges", &Constants::local_edges, 0.7},
    {"local_bound", "local_areas", &Constants::local_areas, 0.7},
    {"depth_bound", "depth_terms", &Constants::depth_terms, 0.6},
    {"corner_bound", "most_scaled", &Constants::most_scaled, 1.5},
    {"corner_bound", "grow", &Constants::grow, 0.7},
    {"corner_bound", "depth_error", &Constants::depth_error, 3},
    {"corner_bound", "depth_spare", &Constants::depth_spare, 0.6},
    {"shadow_bound", "shadow", &Constants::shadow, 0.7},
    {"link_bound", "link", &Constants::link, 0.6},
};
class GappaFails : public testing::TestWithParam<Weaker> {};

TEST_P(GappaFails, WithAWeakerConstant) {
  Constants constants;
  constants.*GetParam().constant *= GetParam().factor;
  int found = 0;
  for (const Proof& proof : proofs())
    if (proof.name == GetParam().proof) {
      ++found;
      const gappa::Outcome outcome = gappa::run(proof.script(constants), proof.name);
      EXPECT_FALSE(outcome.proven);
      // Nothing else went wrong.
      const auto has = [&](const char* text) { return outcome.output.find(text) != std::string::npos; };
      EXPECT_TRUE(has("not satisfied") || has("no contradiction")) << outcome.output;
    }
  EXPECT_EQ(found, 1);
}
INSTANTIATE_TEST_SUITE_P(Bounds, GappaFails, testing::ValuesIn(kWeaker),
                         [](const auto& info) { return std::string(info.param.proof) + "_" + info.param.name; });

}  // namespace
