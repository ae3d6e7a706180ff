#include "picture/shade.h"

namespace sightline::picture {
namespace {

// How much a hidden contact shines through the surface in front of it.
constexpr double kThrough = 0.62;
constexpr double kEdge = 0.55;  // light that is left on an edge
constexpr double kInsideThrough = 0.72, kInsideTint = 0.85;

// A key light from the upper left behind the camera, a weak fill from the right, and light from above.
struct Lamps {
  explicit Lamps(const Lens& lens) : up(lens.up) {
    const auto world = [&](const Vec3d& d) { return d[0] * lens.right + d[1] * lens.up + d[2] * lens.forward; };
    key = world(normalized({-0.45, 0.75, -0.85}));
    fill = world(normalized({0.8, 0.1, -0.5}));
  }
  Vec3d key, fill, up;
};

Vec3d lit(const Vec3d& base, const Vec3d& n, const Vec3d& to_eye, const Lamps& lamps, double open) {
  const Vec3d &key = lamps.key, &fill = lamps.fill;
  // Light wraps a little around the terminator, which keeps shapes readable in the dark half.
  const double k = std::max(0.0, (dot(n, key) + 0.25) / 1.25), f = std::max(0.0, dot(n, fill));
  const double sky = 0.5 + 0.5 * dot(n, lamps.up);
  const double diffuse = 0.86 * k * k * (0.6 + 0.4 * open) + 0.16 * f * open + (0.20 + 0.16 * sky) * open * open;
  const Vec3d half = normalized(key + to_eye);
  double gloss = std::max(0.0, dot(n, half));
  for (int i = 0; i < 5; ++i) gloss *= gloss;  // to the 32nd
  const double shine = 0.06 * gloss * open;
  return diffuse * base + Vec3d{shine, shine, shine};
}

class Shader {
 public:
  Shader(const Model& model, const Surface& surface, const Ids& touched, const Fields& fields, const Light& background)
      : model_(model),
        surface_(surface),
        touched_(touched),
        fields_(fields),
        background_(background),
        lamps_(surface.lens()) {}

  /// The pixels of rows [begin, end).
  void rows(std::uint32_t begin, std::uint32_t end, Light& out) const {
    const std::uint32_t ss = surface_.samples(), width = surface_.ids().width, height = surface_.ids().height;
    // One row of samples more on each side, for the edges.
    const std::uint32_t low = begin * ss == 0 ? 0 : begin * ss - 1, high = std::min(height, end * ss + 1);
    static thread_local std::vector<Sample> samples;  // memory that is not given back between bands
    static thread_local std::vector<std::uint8_t> known;
    samples.resize(std::max(samples.size(), std::size_t{high - low} * width));
    known.assign(std::size_t{high - low} * width, 0);
    const auto sample_at = [&](std::uint32_t x, std::uint32_t y) -> const Sample& {
      const std::size_t at = std::size_t{y - low} * width + x;
      if (known[at] == 0) {
        known[at] = 1;
        samples[at] = surface_.at(x, y);
      }
      return samples[at];
    };
    for (std::uint32_t py = begin; py < end; ++py)
      for (std::uint32_t px = 0; px < out.width; ++px) {
        if (is_background(px, py)) {  // the mean of equal values, without rounding
          out.at(px, py) = background_.pixel[std::size_t{py} * background_.width + px];
          continue;
        }
        // Within one triangle light changes so little that the middle stands for all samples.
        if (is_uniform(px, py)) {
          const std::uint32_t sx = px * ss + ss / 2, sy = py * ss + ss / 2;
          const Sample middle = surface_.at(sx, sy);
          const Vec3d color = sample(px, py, sx, sy, [&](std::int64_t x, std::int64_t y) {
            return x == sx && y == sy ? &middle : nullptr;
          });
          for (int c = 0; c < 3; ++c) out.at(px, py)[c] = static_cast<float>(color[c]);
          continue;
        }
        Vec3d sum = {};
        for (std::uint32_t sy = py * ss; sy < (py + 1) * ss; ++sy)
          for (std::uint32_t sx = px * ss; sx < (px + 1) * ss; ++sx) {
            const auto near = [&](std::int64_t x, std::int64_t y) -> const Sample* {
              if (x < 0 || y < low || x >= width || y >= high) return nullptr;
              return &sample_at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
            };
            sum = sum + sample(px, py, sx, sy, near);
          }
        for (int c = 0; c < 3; ++c) out.at(px, py)[c] = static_cast<float>(sum[c] / (ss * ss));
      }
  }

 private:
  bool is_background(std::uint32_t px, std::uint32_t py) const {
    const std::uint32_t ss = surface_.samples();
    for (std::uint32_t y = py * ss; y < (py + 1) * ss; ++y)
      for (std::uint32_t x = px * ss; x < (px + 1) * ss; ++x)
        if (surface_.ids().at(x, y) != kNothing || touched_.at(x, y) != kNothing || inside_at(x, y) != kNothing)
          return false;
    return true;
  }

  /// Whether all samples of a pixel and around it show the same triangles.
  bool is_uniform(std::uint32_t px, std::uint32_t py) const {
    const std::uint32_t ss = surface_.samples(), width = surface_.ids().width, height = surface_.ids().height;
    const std::uint32_t x0 = px * ss, y0 = py * ss;
    if (x0 == 0 || y0 == 0 || x0 + ss >= width || y0 + ss >= height) return false;
    const auto same = [&](const Ids& ids) {
      const std::uint32_t* const first = &ids.id[std::size_t{y0 - 1} * width + x0 - 1];
      for (std::uint32_t y = 0; y < ss + 2; ++y)
        for (std::uint32_t x = 0; x < ss + 2; ++x)
          if (first[std::size_t{y} * width + x] != *first) return false;
      return true;
    };
    return same(surface_.ids()) && same(touched_) && (fields_.inside == nullptr || same(*fields_.inside));
  }

  template <typename Near>
  Vec3d sample(std::uint32_t px, std::uint32_t py, std::uint32_t sx, std::uint32_t sy, const Near& near) const {
    const Sample& mine = *near(sx, sy);
    const std::uint32_t id = surface_.ids().at(sx, sy), hidden = touched_.at(sx, sy);
    const std::size_t at = std::size_t{py} * background_.width + px;
    Vec3d color;
    if (mine.depth == 0) {
      color = {background_.pixel[at][0], background_.pixel[at][1], background_.pixel[at][2]};
    } else {
      color = lit(base_colour(model_, id, fields_.near.share[at], fields_.near.cluster[at]), mine.normal, to_eye(mine),
                  lamps_, fields_.ambient[at]);
      if (is_edge(mine, near, sx, sy)) color = kEdge * color;
    }
    if (const std::uint32_t inner = inside_at(sx, sy); inner != kNothing && inner != id)
      color = mix(color, inside_colour(inner, sx, sy), kInsideThrough);
    const double through = kThrough * fields_.near.share[at];
    if (hidden == kNothing || hidden == id || through <= 0) return color;
    if (id != kNothing && model_.paint[id] == model_.paint[hidden]) return color;
    const Sample behind = surface_.of(hidden, sx, sy);
    return mix(color,
               lit(base_colour(model_, hidden, 1, fields_.near.cluster[at]), behind.normal, to_eye(behind), lamps_, 1),
               through);
  }
  std::uint32_t inside_at(std::uint32_t x, std::uint32_t y) const {
    return fields_.inside == nullptr ? kNothing : fields_.inside->at(x, y);
  }
  /// Of a part inside another one, dark at the border of what is seen of it.
  Vec3d inside_colour(std::uint32_t id, std::uint32_t x, std::uint32_t y) const {
    const Sample behind = surface_.of(id, x, y);
    const Vec3d base = mix(part_colour(model_.part[id], model_.parts), kInside, kInsideTint);
    const Vec3d color = lit(base, behind.normal, to_eye(behind), lamps_, 1);
    const Ids& ids = *fields_.inside;
    const bool beside = (x > 0 && ids.at(x - 1, y) == kNothing) || (x + 1 < ids.width && ids.at(x + 1, y) == kNothing);
    const bool above = (y > 0 && ids.at(x, y - 1) == kNothing) || (y + 1 < ids.height && ids.at(x, y + 1) == kNothing);
    return beside || above ? kEdge * color : color;
  }
  Vec3d to_eye(const Sample& s) const { return normalized(surface_.lens().origin - s.point); }

  // Where the surface ends in front of another, and at creases.
  template <typename Near>
  bool is_edge(const Sample& mine, const Near& near, std::int64_t x, std::int64_t y) const {
    const double pixel = surface_.pixel() * mine.depth;
    const std::int64_t steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (const auto& step : steps) {
      const Sample* other = near(x + step[0], y + step[1]);
      if (other == nullptr) continue;
      if (other->depth == 0) return true;
      if (dot(mine.normal, other->normal) < 0.75) return true;
      if (std::abs(dot(mine.flat, other->point - mine.point)) > 2.5 * pixel && mine.depth <= other->depth) return true;
    }
    return false;
  }

  const Model& model_;
  const Surface& surface_;
  const Ids& touched_;
  const Fields& fields_;
  const Light& background_;
  const Lamps lamps_;
};

}  // namespace

Surface::Surface(const Model& model, const Normals& normals, const Lens& lens, const Ids& ids, std::uint32_t samples)
    : model_(model), normals_(normals), lens_(lens), ids_(ids), samples_(samples), facets_(normals.count()) {
  for (std::uint32_t id = 0; id < model.triangles.size(); ++id) {
    if (normals.number(id) == kNothing) continue;
    const Triangle& t = model.triangles[id];
    const Vec3d corner[3] = {model.positions[t[0]], model.positions[t[1]], model.positions[t[2]]};
    Facet& facet = facets_[normals.number(id)];
    double low = 1e300, high = 0;
    for (const Vec3d& c : corner) {
      const double z = lens.to_camera(c)[2];
      low = std::min(low, z), high = std::max(high, z);
    }
    facet.low = std::max(low, lens.near * 0.5);
    facet.high = std::max(high, facet.low);
    facet.normal = normals.face(id);
    facet.side_1 = corner[1] - corner[0];
    facet.side_2 = corner[2] - corner[0];
    facet.area = dot(facet.normal, cross(facet.side_1, facet.side_2));
  }
}

Sample Surface::place_of(std::uint32_t id, std::uint32_t x, std::uint32_t y) const {
  Sample sample;
  if (id == kNothing) return sample;
  const double u = lens_.left + (lens_.right_edge - lens_.left) * (x + 0.5) / ids_.width;
  const double v = lens_.bottom + (lens_.top - lens_.bottom) * (y + 0.5) / ids_.height;
  const Vec3d ray = u * lens_.right + v * lens_.up + lens_.forward;
  const Facet& facet = facets_[normals_.number(id)];
  const Vec3d &corner = model_.positions[model_.triangles[id][0]], &n = facet.normal;
  const double along = dot(n, ray);
  // Edge-on, the plane gives no reliable depth: the corners bound it.
  double z = along != 0 ? dot(n, corner - lens_.origin) / along : facet.low;
  z = z >= facet.low ? std::min(z, facet.high) : facet.low;
  sample.depth = z;
  sample.point = lens_.origin + z * ray;
  sample.flat = along > 0 ? -1.0 * n : n;
  return sample;
}

Sample Surface::of(std::uint32_t id, std::uint32_t x, std::uint32_t y) const {
  Sample sample = place_of(id, x, y);
  if (id == kNothing) return sample;
  const Facet& facet = facets_[normals_.number(id)];
  const Vec3d &corner = model_.positions[model_.triangles[id][0]], &n = facet.normal;
  // Barycentric, by the sub-triangles' areas along the normal.
  double b1 = 0, b2 = 0;
  if (facet.area > 0) {
    const Vec3d from = sample.point - corner;
    b1 = std::clamp(dot(n, cross(from, facet.side_2)) / facet.area, 0.0, 1.0);
    b2 = std::clamp(dot(n, cross(facet.side_1, from)) / facet.area, 0.0, 1.0 - b1);
  }
  const std::array<Vec3f, 3>& normal = normals_.corners(id);
  Vec3d sum = {};
  const double share[3] = {1 - b1 - b2, b1, b2};
  for (int k = 0; k < 3; ++k)
    for (int axis = 0; axis < 3; ++axis) sum[axis] += share[k] * normal[k][axis];
  sample.normal = normalized(sum);
  if (sample.flat != n) sample.normal = -1.0 * sample.normal;
  return sample;
}

std::vector<float> depths(const Surface& surface, Workers& workers) {
  const std::uint32_t ss = surface.samples(), width = surface.width(), height = surface.height();
  std::vector<float> depth(std::size_t{width} * height);
  workers.for_each(height, [&](std::size_t y) {
    for (std::uint32_t x = 0; x < width; ++x)
      depth[y * width + x] =
          static_cast<float>(surface.place(x * ss + ss / 2, static_cast<std::uint32_t>(y) * ss + ss / 2).depth);
  });
  return depth;
}

Light shade(const Model& model, const Surface& surface, const Ids& touched, const Fields& fields,
            const Light& background, Workers& workers) {
  constexpr std::uint32_t kRows = 8;
  Light out{background.width, background.height, std::vector<Vec3f>(background.pixel.size())};
  const Shader shader(model, surface, touched, fields, background);
  workers.for_each((out.height + kRows - 1) / kRows, [&](std::size_t band) {
    const auto begin = static_cast<std::uint32_t>(band) * kRows;
    shader.rows(begin, std::min(out.height, begin + kRows), out);
  });
  return out;
}

}  // namespace sightline::picture
