#include "gl/primitives.h"

#include <algorithm>

#include "gl/lists.h"
#include "gl/shaders.h"
#include "raster/cover.h"

namespace sightline::papers::gl {

using raster::Coverage;
using raster::Primitive;

void Primitives::geometry(const raster::Geometry& geometry) {
  geometry_ = geometry;
  geometry_there_ = false;
  for (Kept& kept : kept_) kept.set_up = false;
  if (geometry_.box.empty()) geometry_.box = box_of(geometry.positions);
}

void Primitives::view(const raster::Camera& camera, const raster::Target& target) {
  camera_ = camera;
  target_ = target;
  projection_ = raster::Projection(camera, target);
  on_device_ = !geometry_.triangles.empty() && !camera.perspective && all_inside();
  choose_kept();
  made_.clear();
  uploaded_ = 0;
  solids_.clear();
  lines_.clear();
}

void Primitives::choose_kept() {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  const std::size_t bytes = std::max<std::size_t>(1, geometry_.triangles.size() * sizeof(GpuPrimitive));
  const std::size_t count = std::clamp<std::size_t>(kMostBytes / bytes, 1, kept_.size());
  std::size_t oldest = 0;
  for (current_ = 0; current_ < count; ++current_) {
    const Kept& kept = kept_[current_];
    if (kept.set_up && kept.camera == camera_ && kept.target == target_) break;
    if (kept.used < kept_[oldest].used) oldest = current_;
  }
  if (current_ == count) {
    current_ = oldest;
    kept_[current_] = {camera_, target_, false, 0};
  }
  kept_[current_].used = ++views_;
}

/// True if Projection would clip no triangle. The margin is larger than any rounding.
bool Primitives::all_inside() const {
  if (target_.width == 0) return false;
  for (int i = 0; i < 8; ++i) {
    const auto& [low, high] = geometry_.box;
    const Vec3d corner = {(i & 1) != 0 ? high[0] : low[0], (i & 2) != 0 ? high[1] : low[1],
                          (i & 4) != 0 ? high[2] : low[2]};
    if (!projection_.well_inside(corner)) return false;
  }
  return true;
}

GpuPrimitive record_of(Primitive p, std::int32_t facing, std::uint32_t triangle, bool line, Coverage coverage) {
  const bool image = coverage == Coverage::image;
  GpuPrimitive out{};
  out.triangle = triangle;
  out.facing = facing;
  // Infinite bounds become very large numbers: GLSL does not guarantee infinity.
  constexpr double kUnbounded = 1e300;
  if (line && image) {
    out.kind = 1;
    out.z = p.z[0];
    out.zx = p.z[1];
  } else {
    raster::make_front(p);
    const raster::DepthPlane plane(p, coverage);
    out.kind = p.area == 0 && image ? 2 : 0;
    out.z = plane.z, out.zx = plane.zx, out.zy = plane.zy;
    out.low = std::max(plane.low, -kUnbounded);
    out.high = std::min(plane.high, kUnbounded);
    out.spread = std::min(plane.half, kUnbounded);
    out.anchor_x = plane.x0, out.anchor_y = plane.y0;
  }
  out.x0 = p.x[0], out.y0 = p.y[0], out.x1 = p.x[1], out.y1 = p.y[1], out.x2 = p.x[2], out.y2 = p.y[2];
  return out;
}

Primitives::Range Primitives::make(std::uint32_t triangle, bool solid) {
  const Triangle& t = geometry_.triangles[triangle];
  const std::array<Vec3d, 3> corner = geometry_.corners(triangle);
  Primitive parts[raster::Projection::kMost], line;
  const int count = projection_.triangle(corner[0], corner[1], corner[2], parts);
  const std::size_t before = made_.size();
  if (solid) {
    for (int i = 0; i < count; ++i)
      made_.push_back(record_of(parts[i], facing_of(parts[i]), triangle, false, target_.coverage));
  } else {
    const std::int32_t facing = count > 0 ? facing_of(parts[0]) : 2;
    for (int i = 0; i < 3; ++i) {
      const auto [a, b] = raster::edge_ends(t, i);
      if (projection_.line(corner[a], corner[b], &line) != 0)
        made_.push_back(record_of(line, facing, triangle, true, target_.coverage));
    }
  }
  return {static_cast<std::uint32_t>(from_device() + before), static_cast<std::uint32_t>(made_.size() - before), true};
}

void Primitives::append(raster::Fill fill, std::span<const std::uint32_t> triangles, std::vector<std::uint32_t>& list) {
  const bool solid = fill == raster::Fill::solid;
  if (solid && on_device_) {
    list.insert(list.end(), triangles.begin(), triangles.end());
    return;
  }
  std::vector<Range>& ranges = solid ? solids_ : lines_;
  ranges.resize(geometry_.triangles.size());
  for (const std::uint32_t triangle : triangles) {
    Range& range = ranges[triangle];
    if (!range.made) range = make(triangle, solid);
    for (std::uint32_t i = 0; i < range.count; ++i) list.push_back(range.first + i);
  }
}

void Primitives::set_up_on_device() {
  if (!geometry_there_) {
    context_.buffer(Context::kPositions)
        .assign(context_, geometry_.positions.data(), geometry_.positions.size_bytes(), "positions");
    context_.buffer(Context::kTriangles)
        .assign(context_, geometry_.triangles.data(), geometry_.triangles.size_bytes(), "triangles");
    geometry_there_ = true;
    context_.traced("positions");
  }
  context_.compute("setup", setup_shader);
  const raster::Projection::Scales s = projection_.scales();
  const double camera[20] = {
      camera_.origin[0],  camera_.origin[1],  camera_.origin[2], camera_.right[0], camera_.right[1],
      camera_.right[2],   camera_.up[0],      camera_.up[1],     camera_.up[2],    camera_.forward[0],
      camera_.forward[1], camera_.forward[2], s.scale_x,         s.offset_x,       s.scale_y,
      s.offset_y,         s.z_scale,          s.z_offset,        s.z_low,          s.z_high};
  glUniform1dv(context_.uniform("camera"), 20, camera);
  set_target(context_, target_);
  const auto count = static_cast<GLuint>(geometry_.triangles.size());
  context_.set("triangle_count", count);
  context_.bind(0, buffer());
  context_.bind(1, Context::kPositions);
  context_.bind(2, Context::kTriangles);
  context_.dispatch(count);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  context_.traced("setup");
}

void Primitives::upload() {
  const std::size_t before = from_device(), all = before + made_.size();
  Buffer& buffer = context_.primitives(current_);
  Kept& kept = kept_[current_];
  if (all * sizeof(GpuPrimitive) > buffer.capacity()) kept.set_up = false, uploaded_ = 0;
  buffer.reserve(context_, std::max<std::size_t>(all, 1) * sizeof(GpuPrimitive), "primitives");
  if (on_device_ && !kept.set_up) set_up_on_device();
  kept.set_up = on_device_;
  if (uploaded_ == made_.size()) return;
  glNamedBufferSubData(buffer.id(), static_cast<GLintptr>((before + uploaded_) * sizeof(GpuPrimitive)),
                       static_cast<GLsizeiptr>((made_.size() - uploaded_) * sizeof(GpuPrimitive)),
                       made_.data() + uploaded_);
  uploaded_ = made_.size();
}

}  // namespace sightline::papers::gl
