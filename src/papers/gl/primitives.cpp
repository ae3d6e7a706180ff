#include "gl/primitives.h"

#include <algorithm>
#include <cmath>

#include "gl/shaders.h"
#include "raster/cover.h"

namespace sightline::papers::gl {

using raster::Coverage;
using raster::Primitive;

void Primitives::geometry(const raster::Geometry& geometry) {
  geometry_ = geometry;
  geometry_there_ = false;
  for (Kept& kept : kept_) kept.set_up = false;
  if (geometry_.box.empty())
    for (const Vec3d& p : geometry.positions) geometry_.box.add(p);
  view(camera_, target_);
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

std::array<Vec3d, 3> Primitives::corners(std::uint32_t triangle) const {
  const Triangle& t = geometry_.triangles[triangle];
  return {geometry_.positions[t[0]], geometry_.positions[t[1]], geometry_.positions[t[2]]};
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

std::uint32_t Primitives::add(const Primitive& p, std::int32_t facing, std::uint32_t triangle, bool line) {
  made_.push_back(record_of(p, facing, triangle, line, target_.coverage));
  const std::size_t before = on_device_ ? geometry_.triangles.size() : 0;
  return static_cast<std::uint32_t>(before + made_.size() - 1);
}

namespace {
std::int32_t sign(std::int64_t area) { return area > 0 ? 1 : area < 0 ? -1 : 0; }
}  // namespace

void Primitives::on_host(std::uint32_t triangle, std::vector<std::uint32_t>& list) {
  if (solids_.empty()) solids_.resize(geometry_.triangles.size());
  Range& range = solids_[triangle];
  if (range.first == 0xFFFFFFFFu) {
    const auto c = corners(triangle);
    Primitive parts[raster::Projection::kMost];
    const int count = projection_.triangle(c[0], c[1], c[2], parts);
    range = {0, static_cast<std::uint32_t>(count)};
    for (int i = 0; i < count; ++i) {
      const std::uint32_t at = add(parts[i], sign(parts[i].area), triangle, false);
      if (i == 0) range.first = at;
    }
  }
  for (std::uint32_t i = 0; i < range.count; ++i) list.push_back(range.first + i);
}

void Primitives::lines(std::uint32_t triangle, std::vector<std::uint32_t>& list) {
  if (lines_.empty()) lines_.resize(geometry_.triangles.size());
  Range& range = lines_[triangle];
  if (range.first == 0xFFFFFFFFu) {
    const auto c = corners(triangle);
    Primitive parts[raster::Projection::kMost], line;
    const int count = projection_.triangle(c[0], c[1], c[2], parts);
    const std::int32_t facing = count > 0 ? sign(parts[0].area) : 2;
    range = {0, 0};
    for (int i = 0; i < 3; ++i) {
      const auto [a, b] = raster::edge_ends(geometry_.triangles[triangle], i);
      if (projection_.line(c[a], c[b], &line) == 0) continue;
      const std::uint32_t at = add(line, facing, triangle, true);
      if (range.count++ == 0) range.first = at;
    }
  }
  for (std::uint32_t i = 0; i < range.count; ++i) list.push_back(range.first + i);
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
  const GLuint program = context_.compute("setup", setup_shader);
  glUseProgram(program);
  const auto uniform = [&](const char* name) { return context_.uniform(program, name); };
  const raster::Projection::Scales s = projection_.scales();
  const double camera[20] = {
      camera_.origin[0],  camera_.origin[1],  camera_.origin[2], camera_.right[0], camera_.right[1],
      camera_.right[2],   camera_.up[0],      camera_.up[1],     camera_.up[2],    camera_.forward[0],
      camera_.forward[1], camera_.forward[2], s.scale_x,         s.offset_x,       s.scale_y,
      s.offset_y,         s.z_scale,          s.z_offset,        s.z_low,          s.z_high};
  glUniform1dv(uniform("camera"), 20, camera);
  glUniform1i(uniform("conservative"), target_.coverage == Coverage::conservative ? 1 : 0);
  const auto count = static_cast<GLuint>(geometry_.triangles.size());
  glUniform1ui(uniform("triangle_count"), count);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer().id());
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, context_.buffer(Context::kPositions).id());
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, context_.buffer(Context::kTriangles).id());
  context_.dispatch(count);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  context_.traced("setup");
}

void Primitives::upload() {
  const std::size_t before = on_device_ ? geometry_.triangles.size() : 0;
  const std::size_t all = before + made_.size();
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
