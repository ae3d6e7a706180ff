#include "gl/arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "base/format.h"
#include "gl/context.h"
#include "gl/lists.h"
#include "gl/shaders.h"
#include "raster/cover.h"

namespace sightline::papers::gl {
namespace {

using raster::Coverage;
using raster::DepthFormat;

constexpr std::uint32_t kSide = 64, kPixels = 16;

struct Soup {
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;
};

/// Triangles of very different sizes and slopes; some without area. The same ones in each run.
Soup make_soup(std::uint32_t count) {
  Soup soup;
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  const auto real = [&](double low, double high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (static_cast<double>(state >> 11) * 0x1p-53);
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const double size = i % 3 == 0 ? 400 : i % 3 == 1 ? 14 : 1.5;
    const double depth = i % 2 == 0 ? 0.45 : 1e-3;
    const double x = real(0, kSide), y = real(0, kSide);
    for (int k = 0; k < 3; ++k)
      soup.positions.push_back({x + real(-size, size), y + real(-size, size), 0.5 + real(-depth, depth)});
    if (i % 17 == 0) soup.positions.back() = soup.positions[soup.positions.size() - 2];
    soup.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return soup;
}

raster::Camera make_camera() {
  raster::Camera camera;
  camera.left = 0, camera.right_edge = kSide, camera.bottom = 0, camera.top = kSide;
  camera.forward = {0, 0, 1};
  camera.near = 0, camera.far = 1;
  return camera;
}

std::vector<GpuPrimitive> on_host(const Soup& soup, const raster::Target& target) {
  const raster::Projection projection(make_camera(), target);
  std::vector<GpuPrimitive> all;
  for (std::uint32_t i = 0; i < soup.triangles.size(); ++i) {
    raster::Primitive p;
    projection.triangle(soup.positions[3 * i], soup.positions[3 * i + 1], soup.positions[3 * i + 2], &p);
    all.push_back(record_of(p, facing_of(p), i, false, target.coverage));
  }
  return all;
}

std::string compare(const GpuPrimitive& host, const GpuPrimitive& device) {
  const auto whole = [](const GpuPrimitive& p) {
    return std::array{p.x0, p.y0, p.x1, p.y1, p.x2, p.y2, p.anchor_x, p.anchor_y, p.facing, p.kind};
  };
  if (whole(host) != whole(device)) return formatted("corners of triangle {} come out elsewhere", host.triangle);
  const std::pair<const char*, double GpuPrimitive::*> kFields[] = {
      {"depth", &GpuPrimitive::z},         {"slope in x", &GpuPrimitive::zx},   {"slope in y", &GpuPrimitive::zy},
      {"least depth", &GpuPrimitive::low}, {"most depth", &GpuPrimitive::high}, {"spread", &GpuPrimitive::spread}};
  for (const auto& [name, field] : kFields) {
    const double a = host.*field, b = device.*field;
    if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) continue;
    if (std::min(std::abs(a), std::abs(b)) > 1e299 && (a > 0) == (b > 0)) continue;  // both stand for infinity
    return formatted("{} {:a} of triangle {} comes out as {:a}", name, a, host.triangle, b);
  }
  return {};
}

/// Nothing is compared where an unbounded plane leaves the range of the keys.
bool meaningful(const GpuPrimitive& p, double z, const raster::Target& target) {
  if (target.coverage == Coverage::conservative || p.low > -1e299) return true;
  return z >= 0x1p-100 && z < static_cast<double>(raster::far_key(target.format));
}

std::string check_ends(Context& context, std::span<const GpuPrimitive> host, const raster::Target& target) {
  const std::size_t count = host.size() * kPixels;
  context.buffer(Context::kEntries).assign(context, host.data(), host.size_bytes(), "a check of the driver");
  context.buffer(Context::kScratch).reserve(context, count * 8, "a check of the driver");
  context.compute("ends", ends_shader);
  set_target(context, target);
  context.set("count", static_cast<GLuint>(count));
  context.bind(0, Context::kEntries);
  context.bind(1, Context::kScratch);
  glDispatchCompute(static_cast<GLuint>((count + 63) / 64), 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  std::vector<raster::Ends> ends(count);
  context.read(context.buffer(Context::kScratch), 0, count * 8, ends.data(), "a check of the driver");
  for (std::size_t i = 0; i < count; ++i) {
    const GpuPrimitive& p = host[i / kPixels];
    const double x = static_cast<double>(i % 4) - 1, y = static_cast<double>(i / 4 % 4) - 1;
    const double z = (p.z + p.zy * y) + p.zx * x;
    if (!meaningful(p, z, target)) continue;
    const raster::Ends expected = raster::ends_of(z, p.low, p.high, p.spread, target);
    if (ends[i].near != expected.near || ends[i].far != expected.far)
      return formatted("depths {} and {} of triangle {} come out as {} and {}", expected.near, expected.far, p.triangle,
                       ends[i].near, ends[i].far);
  }
  return {};
}

}  // namespace

std::string arithmetic_flaw(Context& context, std::uint32_t triangles) {
  const Soup soup = make_soup(triangles);
  for (const Coverage coverage : {Coverage::image, Coverage::conservative})
    for (const DepthFormat format :
         {DepthFormat::fixed16, DepthFormat::fixed24, DepthFormat::fixed32, DepthFormat::float32}) {
      const raster::Target target = {kSide, kSide, format, coverage, false, false};
      const std::vector<GpuPrimitive> host = on_host(soup, target);
      Primitives primitives(context);
      primitives.geometry({soup.positions, soup.triangles});
      primitives.view(make_camera(), target);
      if (!primitives.on_device()) return "its triangles are not set up on the device";
      primitives.upload();
      std::vector<GpuPrimitive> made(host.size());
      context.read(primitives.buffer(), 0, made.size() * sizeof made[0], made.data(), "a check of the driver");
      for (std::size_t i = 0; i < host.size(); ++i)
        if (std::string flaw = compare(host[i], made[i]); !flaw.empty()) return flaw;
      if (std::string flaw = check_ends(context, host, target); !flaw.empty()) return flaw;
    }
  return {};
}

}  // namespace sightline::papers::gl
