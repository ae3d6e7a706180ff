#include "picture/gap.h"

#include <algorithm>

#include "base/box_tree.h"
#include "base/vector.h"

namespace sightline::picture {
namespace {

using Corners = std::array<Vec3d, 3>;
using Points = std::array<Vec3d, 2>;

Points of_segments(const Vec3d& p, const Vec3d& q, const Vec3d& r, const Vec3d& s) {
  const Vec3d d1 = q - p, d2 = s - r, w = p - r;
  const double a = dot(d1, d1), e = dot(d2, d2), f = dot(d2, w), c = dot(d1, w), b = dot(d1, d2);
  const double det = a * e - b * b;
  double t = det > 0 ? std::clamp((b * f - c * e) / det, 0.0, 1.0) : 0;
  double u = e > 0 ? (b * t + f) / e : 0;
  if (u < 0 || u > 1 || det <= 0) {
    u = std::clamp(u, 0.0, 1.0);
    t = a > 0 ? std::clamp((b * u - c) / a, 0.0, 1.0) : 0;
  }
  return {p + t * d1, r + u * d2};
}

class Search {
 public:
  Search(const Model& model, std::uint32_t a, std::uint32_t b) : sides_{Side(model, a), Side(model, b)} {
    if (!sides_[0].tree.empty() && !sides_[1].tree.empty()) visit(0, 0);
  }
  Points points() const { return points_; }

 private:
  struct Side {
    std::vector<Corners> triangles;
    BoxTree tree;
    Side(const Model& model, std::uint32_t part) {
      std::vector<Box> boxes;
      for (std::size_t i = 0; i < model.triangles.size(); ++i) {
        if (model.part[i] != part) continue;
        const Triangle& t = model.triangles[i];
        triangles.push_back({model.positions[t[0]], model.positions[t[1]], model.positions[t[2]]});
        boxes.push_back(box_of(triangles.back()));
      }
      tree = BoxTree(boxes);
    }
  };

  static double apart(const Box& a, const Box& b) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const double d = std::max({0.0, a.low[k] - b.high[k], b.low[k] - a.high[k]});
      sum += d * d;
    }
    return sum;
  }

  void visit(std::uint32_t i, std::uint32_t j) {
    const BoxTree::Node &a = sides_[0].tree.nodes()[i], &b = sides_[1].tree.nodes()[j];
    if (!(apart(a.box, b.box) < best_)) return;
    if (a.right == 0 && b.right == 0) {
      for (std::uint32_t m = a.begin; m < a.end; ++m)
        for (std::uint32_t n = b.begin; n < b.end; ++n)
          measure(sides_[0].triangles[sides_[0].tree.items()[m]], sides_[1].triangles[sides_[1].tree.items()[n]]);
      return;
    }
    const bool split_a = b.right == 0 || (a.right != 0 && a.end - a.begin >= b.end - b.begin);
    std::array<std::array<std::uint32_t, 2>, 2> next = {{{split_a ? i + 1 : i, split_a ? j : j + 1},
                                                         {split_a ? a.right : i, split_a ? j : b.right}}};
    const auto distance = [&](const auto& pair) {
      return apart(sides_[0].tree.nodes()[pair[0]].box, sides_[1].tree.nodes()[pair[1]].box);
    };
    if (distance(next[1]) < distance(next[0])) std::swap(next[0], next[1]);
    for (const auto& [m, n] : next) visit(m, n);
  }

  void consider(const Points& points) {
    const Vec3d d = points[0] - points[1];
    if (const double square = dot(d, d); square < best_) {
      best_ = square;
      points_ = points;
    }
  }

  void measure(const Corners& a, const Corners& b) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t m = 0; m < 3; ++m) consider(of_segments(a[k], a[(k + 1) % 3], b[m], b[(m + 1) % 3]));
      if (const auto [found, q] = foot(a[k], b); found) consider({a[k], q});
      if (const auto [found, p] = foot(b[k], a); found) consider({p, b[k]});
    }
  }

  // On the border of a triangle the segments find the nearest point.
  static std::pair<bool, Vec3d> foot(const Vec3d& p, const Corners& t) {
    const Vec3d u = t[1] - t[0], v = t[2] - t[0], w = p - t[0];
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v);
    const double det = uu * vv - uv * uv;
    if (!(det > 0)) return {false, {}};
    const double s = (vv * wu - uv * wv) / det, r = (uu * wv - uv * wu) / det;
    return {s >= 0 && r >= 0 && s + r <= 1, t[0] + s * u + r * v};
  }

  std::array<Side, 2> sides_;
  double best_ = Box::kInfinity;
  Points points_ = {};
};

}  // namespace

std::array<Vec3d, 2> nearest_points(const Model& model, std::uint32_t a, std::uint32_t b) {
  return Search(model, a, b).points();
}

}  // namespace sightline::picture
