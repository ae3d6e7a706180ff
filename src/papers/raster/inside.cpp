// Raster::inside in its plain form: one sample, one solid, one face after the other.
#include "raster/inside.h"

#include <bit>

namespace sightline::papers::raster {
namespace inside {

double depth_of(std::uint32_t key, DepthFormat format) {
  return format == DepthFormat::float32 ? static_cast<double>(std::bit_cast<float>(key)) : static_cast<double>(key);
}

// Snapping moves the corners of the face, and those of the edge, by up to half of 1/256 pixel along x and along y. So
// the two have moved by up to 1/256 pixel against each other, and by what depth changes over that. (`half` of a
// conservative plane is the change over 129/256 pixel, or infinite where the slope is not known well enough; depths of
// a face never differ by more than those of its corners.)
// At a contour of a solid, a sample that is outside may come out inside by up to 1/256 pixel, between the front and the
// back face. If these meet in the contour, they are there closer to each other than their margins. If there is a face
// between them that is seen edge-on, or nearly so, the sample is within 1/256 pixel of that face, and touches it.
Face::Face(Primitive p, DepthFormat format) {
  facing = p.area > 0 ? 1 : p.area < 0 ? -1 : 0;
  make_front(p);
  const DepthPlane plane(p, Coverage::conservative);
  for (int i = 0; i < 3; ++i) x[i] = p.x[i], y[i] = p.y[i];
  z = plane.z, zx = plane.zx, zy = plane.zy, low = plane.low, high = plane.high;
  x0 = plane.x0, y0 = plane.y0;
  margin = std::min(plane.half * (1.0 / 128), high - low) + spare(format);
}

std::vector<Inside> find(const InsideQuery& query, const Geometry& geometry, const Projection& projection,
                         const Target& target, std::uint64_t& count) {
  struct At : Sample {
    std::uint32_t edge, solid, key;
    Tally tally;
  };
  std::vector<At> samples;
  for (const std::uint32_t edge : query.edges) {
    const Triangle& t = geometry.triangles[edge / 3];
    const auto [a, b] = edge_ends(t, static_cast<int>(edge % 3));
    Primitive line;
    if (projection.line(geometry.positions[t[a]], geometry.positions[t[b]], &line) == 0) continue;
    for_each_sample(segment(line), whole(target), [&](const Sample& s) {
      samples.push_back({s, edge, query.solid_of[edge / 3], nearest_key(s.depth, target.format), {}});
    });
  }
  count = samples.size();
  std::sort(samples.begin(), samples.end(),
            [](const At& s, const At& t) { return std::pair(s.y, s.x) < std::pair(t.y, t.x); });
  std::vector<Inside> found;
  const auto end_of_solid = [&](std::uint32_t solid) {
    for (At& s : samples) {
      if (s.tally.open())
        found.push_back({s.edge, solid, std::uint32_t(s.x), std::uint32_t(s.y), s.key, true});
      else if (s.tally.inside())
        found.push_back({s.edge, solid, std::uint32_t(s.x), std::uint32_t(s.y), s.key});
      s.tally = {};
    }
  };
  for (std::size_t i = 0; i < query.faces.size(); ++i) {
    const Triangle& t = geometry.triangles[query.faces[i]];
    const std::uint32_t solid = query.solid_of[query.faces[i]];
    const InsideSolid& own = query.solids[solid];
    Primitive parts[Projection::kMost];
    const int made =
        projection.triangle(geometry.positions[t[0]], geometry.positions[t[1]], geometry.positions[t[2]], parts);
    for (int part = 0; part < made; ++part) {
      const Face face(parts[part], target.format);
      const PixelBox box = pixel_box(parts[part], target);
      const auto first =
          std::partition_point(samples.begin(), samples.end(), [&](const At& s) { return s.y < box.y0; });
      for (auto s = first; s != samples.end() && s->y < box.y1; ++s) {
        if (s->solid == solid || !wanted(query.solids[s->solid], own)) continue;
        const Face::Place place = face.place(s->fine_x, s->fine_y);
        if (place == Face::Place::away) continue;
        s->tally.meet(face.depth(s->fine_x, s->fine_y), face.margin, depth_of(s->key, target.format),
                      place == Face::Place::inside, face.facing, own.sided);
      }
    }
    if (i + 1 == query.faces.size() || query.solid_of[query.faces[i + 1]] != solid) end_of_solid(solid);
  }
  return found;
}

}  // namespace inside

Vec3d scene_point(const Camera& camera, const Target& target, double x, double y, std::uint32_t key) {
  const Projection::Scales scales = Projection(camera, target).scales();
  const double part = (inside::depth_of(key, target.format) - scales.z_low) / (scales.z_high - scales.z_low);
  double across = camera.left + (camera.right_edge - camera.left) * (x / target.width);
  double up = camera.bottom + (camera.top - camera.bottom) * (y / target.height);
  double forward = camera.near + (camera.far - camera.near) * part;
  if (camera.perspective) {
    forward = 1 / (1 / camera.near - (1 / camera.near - 1 / camera.far) * part);
    across *= forward, up *= forward;
  }
  Vec3d point;
  for (int k = 0; k < 3; ++k)
    point[k] = camera.origin[k] + (camera.right[k] * across + camera.up[k] * up + camera.forward[k] * forward);
  return point;
}

std::vector<Inside> Raster::inside(const InsideQuery& query) {
  check(camera_);
  finish();
  ++counters_.renders;
  counters_.triangles += query.faces.size();
  std::uint64_t samples = 0;
  std::vector<Inside> found = find_inside(query, samples);
  counters_.fragments += samples;
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace sightline::papers::raster
