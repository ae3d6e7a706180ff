#include "gl/inside.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "gl/lists.h"
#include "gl/primitives.h"
#include "gl/shaders.h"

namespace sightline::papers::gl {

using raster::Coverage;
using raster::Primitive;

struct Insides::Scene {
  const raster::InsideQuery& query;
  const raster::Geometry& geometry;
  const raster::Camera& camera;
  const raster::Target& target;
  raster::Projection projection;

  /// True if nothing is clipped: the device then sets up everything.
  bool all_inside() const {
    if (camera.perspective) return false;
    Box box = geometry.box;
    if (box.empty())
      for (const Vec3d& p : geometry.positions) box.add(p);
    for (int i = 0; i < 8; ++i)
      if (!projection.well_inside({(i & 1) != 0 ? box.high[0] : box.low[0], (i & 2) != 0 ? box.high[1] : box.low[1],
                                   (i & 4) != 0 ? box.high[2] : box.low[2]}))
        return false;
    return true;
  }
};

namespace {

/// As `Found` of programs/inside.cpp.
struct Found {
  std::uint32_t edge, solid, pixel, key;
};
constexpr std::uint32_t kGaveUp = 2;
struct FoundHeader {
  std::uint32_t count = 0, samples_low = 0, samples_high = 0, too_long = 0;
};
/// Work groups that share the edges of a tile.
constexpr std::uint32_t kGroupsOfTile = 8;
constexpr std::size_t kFirstRead = 4096;  ///< records that are read together with the header

}  // namespace

void Insides::set_up_on_device(const Scene& scene) {
  const auto triangles = static_cast<GLuint>(scene.geometry.triangles.size());
  faces_ = static_cast<std::uint32_t>(scene.query.faces.size());
  lines_ = static_cast<std::uint32_t>(scene.query.edges.size());
  first_line_ = triangles;
  Buffer& primitives = context_.buffer(Context::kInsidePrimitives);
  primitives.reserve(context_, (std::size_t{triangles} + lines_) * sizeof(GpuPrimitive), "primitives");
  context_.buffer(Context::kPositions)
      .assign(context_, scene.geometry.positions.data(), scene.geometry.positions.size_bytes(), "positions");
  context_.buffer(Context::kTriangles)
      .assign(context_, scene.geometry.triangles.data(), scene.geometry.triangles.size_bytes(), "triangles");
  context_.buffer(Context::kInsideEdges)
      .assign(context_, scene.query.edges.data(), scene.query.edges.size_bytes(), "edges");
  context_.buffer(Context::kPool)
      .assign(context_, scene.query.faces.data(), scene.query.faces.size_bytes(), "triangles");
  const raster::Camera& c = scene.camera;
  const raster::Projection::Scales s = scene.projection.scales();
  const double camera[20] = {c.origin[0], c.origin[1], c.origin[2],  c.right[0],   c.right[1],   c.right[2], c.up[0],
                             c.up[1],     c.up[2],     c.forward[0], c.forward[1], c.forward[2], s.scale_x,  s.offset_x,
                             s.scale_y,   s.offset_y,  s.z_scale,    s.z_offset,   s.z_low,      s.z_high};
  context_.bind(0, primitives);
  context_.bind(1, Context::kPositions);
  context_.bind(2, Context::kTriangles);
  context_.bind(3, Context::kInsideEdges);
  use(scene, "setup", setup_shader);
  glUniform1dv(context_.uniform("camera"), 20, camera);
  context_.set("triangle_count", triangles);
  context_.dispatch(triangles);
  use(scene, "edges", edges_shader);
  glUniform1dv(context_.uniform("camera"), 20, camera);
  context_.set("edge_count", lines_);
  context_.dispatch(lines_);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  context_.traced("setup");
}

void Insides::set_up_on_host(const Scene& scene) {
  std::vector<GpuPrimitive> all;
  std::vector<std::uint32_t> pool;
  const auto& at = scene.geometry.positions;
  for (const std::uint32_t triangle : scene.query.faces) {
    const Triangle& t = scene.geometry.triangles[triangle];
    Primitive parts[raster::Projection::kMost];
    const int made = scene.projection.triangle(at[t[0]], at[t[1]], at[t[2]], parts);
    for (int i = 0; i < made; ++i) {
      pool.push_back(static_cast<std::uint32_t>(all.size()));
      all.push_back(record_of(parts[i],
                              parts[i].area > 0   ? 1
                              : parts[i].area < 0 ? -1
                                                  : 0,
                              triangle, false, Coverage::conservative));
    }
  }
  faces_ = first_line_ = static_cast<std::uint32_t>(all.size());
  for (const std::uint32_t edge : scene.query.edges) {
    const Triangle& t = scene.geometry.triangles[edge / 3];
    const auto [a, b] = raster::edge_ends(t, static_cast<int>(edge % 3));
    Primitive line;
    if (scene.projection.line(at[t[a]], at[t[b]], &line) != 0)
      all.push_back(record_of(line, 0, edge, true, Coverage::image));
  }
  lines_ = static_cast<std::uint32_t>(all.size()) - first_line_;
  context_.buffer(Context::kInsidePrimitives)
      .assign(context_, all.data(), all.size() * sizeof(GpuPrimitive), "primitives");
  context_.buffer(Context::kPool).assign(context_, pool.data(), pool.size() * 4, "triangles");
}

void Insides::upload(const Scene& scene) {
  const std::size_t entries = std::size_t{faces_} + lines_, tiles = tiles_of(scene.target);
  std::vector<std::array<std::uint32_t, 4>> solids;
  for (const raster::InsideSolid& s : scene.query.solids)
    solids.push_back({s.groups, s.collides_with, s.sided ? 1u : 0u, 0});
  context_.buffer(Context::kInsideSolids).assign(context_, solids.data(), solids.size() * 16, "solids");
  context_.buffer(Context::kElements)
      .assign(context_, scene.query.solid_of.data(), scene.query.solid_of.size_bytes(), "solids");
  context_.buffer(Context::kEntries).reserve(context_, 8 * entries, "faces and edges");
  context_.buffer(Context::kLarge).reserve(context_, 4 * entries, "faces and edges");
  for (const Context::Slot slot : {Context::kLists, Context::kSorted})
    context_.buffer(slot).reserve(context_, 16 * entries, "lists");
  context_.buffer(Context::kTiles).reserve(context_, 8 * tiles, "tiles");
  context_.fill(context_.buffer(Context::kTiles), 8 * tiles, 0);
  context_.buffer(Context::kBusy).reserve(context_, 4 * tiles, "tiles");
  if (found_capacity_ == 0) found_capacity_ = kFirstRead;
  context_.traced("upload");
}

void Insides::use(const Scene& scene, const char* name, const std::function<std::string()>& shader) {
  context_.compute(name, shader);
  raster::Target target = scene.target;
  target.coverage = Coverage::conservative;  // planes and lists that hold all points of a pixel
  set_target(context_, target);
  context_.set("entry_first", 0u);
  context_.set("entry_count", faces_ + lines_);
  context_.set("list_capacity", list_capacity(context_, true));
  context_.set("face_count", faces_);
  context_.set("first_line", first_line_);
  context_.set("tile_grid", tiles_along(target.width), tiles_along(target.height));
}

/// count and count large, or fill and fill large.
void Insides::lists(const Scene& scene, bool fill) {
  constexpr const char* kNames[2][2] = {{"inside count", "inside fill"}, {"inside count large", "inside fill large"}};
  for (const bool large : {false, true}) {
    const char* const name = kNames[large ? 1 : 0][fill ? 1 : 0];
    use(scene, name, [&] { return inside_list_shader(large, fill); });
    if (large)
      glDispatchComputeIndirect(offsetof(ListHeader, large_groups));
    else
      context_.dispatch(std::size_t{faces_} + lines_);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT);
    context_.traced(name);
  }
}

void Insides::submit(const Scene& scene) {
  ListHeader start;
  start.tile_groups[2] = kGroupsOfTile;
  const FoundHeader nothing;
  context_.buffer(Context::kSweep).assign(context_, &start, sizeof start, "lists");
  context_.buffer(Context::kInsideFound)
      .reserve(context_, sizeof nothing + sizeof(Found) * std::size_t{found_capacity_}, "points inside");
  context_.buffer(Context::kInsideFound).assign(context_, &nothing, sizeof nothing, "points inside");
  context_.bind(0, Context::kInsidePrimitives);
  context_.bind(1, Context::kEntries);
  context_.bind(3, Context::kSorted);
  context_.bind(4, Context::kTiles);
  context_.bind(5, Context::kLists);
  context_.bind(6, Context::kSweep);
  context_.bind(7, Context::kLarge);
  context_.bind(9, Context::kBusy);
  context_.bind(10, Context::kPool);
  glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, context_.buffer(Context::kSweep).id());
  lists(scene, false);
  const auto tiles = static_cast<GLuint>(tiles_of(scene.target));
  context_.compute("place", place_shader);
  context_.set("tile_count", tiles);
  glDispatchCompute((tiles + 255) / 256, 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT);
  context_.traced("place");
  lists(scene, true);
  use(scene, "inside", inside_tile_shader);
  context_.set("found_capacity", found_capacity_);
  glUniform1d(context_.uniform("spare"), raster::inside::spare(scene.target.format));
  context_.bind(7, Context::kInsideSolids);
  context_.bind(11, Context::kElements);
  context_.bind(12, Context::kInsideFound);
  glDispatchComputeIndirect(offsetof(ListHeader, tile_groups));
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  context_.traced("inside");
}

std::vector<raster::Inside> Insides::find(const raster::InsideQuery& query, const raster::Geometry& geometry,
                                          const raster::Camera& camera, const raster::Target& target,
                                          std::uint64_t& samples) {
  const Scene scene{query, geometry, camera, target, raster::Projection(camera, target)};
  const auto on_host = [&] { return raster::inside::find(query, geometry, scene.projection, target, samples); };
  const auto most = static_cast<std::size_t>(context_.info.most_bytes);
  samples = 0;
  if (query.faces.empty() && query.edges.empty()) return {};
  if ((geometry.triangles.size() + query.edges.size()) * sizeof(GpuPrimitive) > most) return on_host();
  if (scene.all_inside())
    set_up_on_device(scene);
  else
    set_up_on_host(scene);
  if (faces_ + lines_ == 0) return {};
  if (std::size_t{faces_} + lines_ > kMostEntries) return on_host();
  upload(scene);
  FoundHeader header;
  std::vector<Found> found;
  for (;;) {
    submit(scene);
    const std::size_t ahead = std::min<std::size_t>(found_capacity_, kFirstRead);
    std::vector<std::uint32_t> words(4 + 4 * ahead);
    context_.read(context_.buffer(Context::kInsideFound), 0, 4 * words.size(), words.data(), "points inside");
    header = {words[0], words[1], words[2], words[3]};
    context_.fill(context_.buffer(Context::kTiles), 8 * tiles_of(target), 0);
    if (header.too_long == kGaveUp) return on_host();
    if (header.too_long != 0) {
      ListHeader lists;
      context_.read(context_.buffer(Context::kSweep), 0, sizeof lists, &lists, "lists");
      const std::size_t bytes = std::size_t{4} * lists.total[0];
      if (lists.total[1] != 0 || bytes > most / 4) return on_host();
      for (const Context::Slot slot : {Context::kLists, Context::kSorted})
        context_.buffer(slot).reserve(context_, bytes, "lists");
      continue;
    }
    if (header.count > found_capacity_) {
      found_capacity_ = header.count;
      continue;
    }
    found.resize(header.count);
    if (header.count <= ahead)
      for (std::size_t i = 0; i < found.size(); ++i)
        found[i] = {words[4 * i + 4], words[4 * i + 5], words[4 * i + 6], words[4 * i + 7]};
    else
      context_.read(context_.buffer(Context::kInsideFound), sizeof header, found.size() * sizeof(Found), found.data(),
                    "points inside");
    break;
  }
  samples = std::uint64_t{header.samples_high} << 32 | header.samples_low;
  std::vector<raster::Inside> all;
  all.reserve(found.size());
  for (const Found& f : found)
    all.push_back({f.edge, f.solid & 0x7FFFFFFFu, f.pixel & 0xFFFFu, f.pixel >> 16, f.key, f.solid >> 31 != 0});
  return all;
}

}  // namespace sightline::papers::gl
