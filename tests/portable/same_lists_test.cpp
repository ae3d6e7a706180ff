// The same contact lists on every architecture and with every instruction set: digests of lists against constants.
//
// Meshes come from integer hashes and exact operations only, so they are the same everywhere. The constants were
// computed on x86-64 with the scalar kernel; a new scene starts with the digest 0 and the failure prints the right one.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cstdint>
#include <functional>
#include <vector>

#include "input/settings.h"
#include "query/query.h"
#include "sightline/assembly.h"
#include "sightline/papers.h"
#include "support/random.h"

namespace {

using sightline::Mesh;
using sightline::ObjectOptions;
using sightline::Report;
using sightline::Scene;
using sightline::Simd;
using sightline::Transform;
using sightline::Triangle;
using sightline::Vec3d;
using sightline::Vec3f;
using testing_support::Random;

class Digest {
 public:
  void add(std::uint64_t x) {
    state_ = (state_ ^ x) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 32;
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(const sightline::Contact& c) {
    for (const std::uint64_t x : {c.object_a, c.object_b, c.a, c.b, static_cast<std::uint32_t>(c.kind)}) add(x);
  }
  void add(const Report& report) {
    add(report.found);
    for (const sightline::Contact& contact : report.contacts) add(contact);
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

// ---- meshes

/// A multiple of 2^-20 in [-1, 1).
double number(Random& random) { return static_cast<double>(random.below(1 << 21) - (1 << 20)) * 0x1p-20; }

/// Triangles of their own corners, of about `size`, spread over [-1, 1)³, then scaled.
template <typename Vec>
Mesh soup(std::uint64_t seed, std::uint32_t triangles, double size, double scale = 1) {
  Random random(seed);
  std::vector<Vec> points;
  Mesh mesh;
  for (std::uint32_t t = 0; t < triangles; ++t) {
    const Vec3d center{number(random), number(random), number(random)};
    for (int k = 0; k < 3; ++k) {
      Vec p;
      for (int axis = 0; axis < 3; ++axis)
        p[axis] = static_cast<typename Vec::value_type>((center[axis] + size * number(random)) * scale);
      points.push_back(p);
    }
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  mesh.positions = std::move(points);
  return mesh;
}

/// Corners on a small lattice: touching, coplanar, duplicate and degenerate triangles.
Mesh lattice(std::uint64_t seed, std::uint32_t triangles, int side) {
  Random random(seed);
  Mesh mesh;
  std::vector<Vec3f> points;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z)
        points.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)});
  for (std::uint32_t t = 0; t < triangles; ++t) {
    const int at = random.below(side * side * side);
    const auto near = [&] {
      const int x = at / side / side + random.below(3) - 1, y = at / side % side + random.below(3) - 1,
                z = at % side + random.below(3) - 1;
      const auto cut = [side](int v) { return v < 0 ? 0 : v >= side ? side - 1 : v; };
      return static_cast<std::uint32_t>((cut(x) * side + cut(y)) * side + cut(z));
    };
    mesh.triangles.push_back({near(), near(), near()});
  }
  mesh.positions = std::move(points);
  return mesh;
}

/// A sheet of n × n squares with heights of about `height`; folded over along the middle if `folded`.
Mesh sheet(std::uint64_t seed, std::uint32_t n, double height, bool folded) {
  Random random(seed);
  std::vector<Vec3d> points;
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t j = 0; j <= n; ++j) {
      const std::uint32_t x = folded && i > n / 2 ? n - i : i;
      points.push_back({x * 0x1p-5, j * 0x1p-5, height * number(random)});
    }
  Mesh mesh;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t a = i * (n + 1) + j, b = a + n + 1;
      mesh.triangles.push_back({a, b, a + 1});
      mesh.triangles.push_back({a + 1, b, b + 1});
    }
  mesh.positions = std::move(points);
  return mesh;
}

/// Exponents over the whole range of doubles, denormals too.
Mesh all_scales(std::uint64_t seed, std::uint32_t triangles) {
  Random random(seed);
  std::vector<Vec3d> points;
  for (std::uint32_t v = 0; v < triangles; ++v) {
    Vec3d p;
    for (double& x : p) {
      const std::uint64_t exponent = static_cast<std::uint64_t>(random.below(2046));
      x = std::bit_cast<double>((random.bits() & 0x800FFFFFFFFFFFFFu) | exponent << 52);
    }
    points.push_back(p);
  }
  Mesh mesh;
  for (std::uint32_t t = 0; t < triangles; ++t) {
    const auto corner = [&] { return static_cast<std::uint32_t>(random.below(static_cast<int>(triangles))); };
    mesh.triangles.push_back({corner(), corner(), corner()});
  }
  mesh.positions = std::move(points);
  return mesh;
}

/// An axis-aligned closed box.
Mesh box(const Vec3d& lo, const Vec3d& hi) {
  std::vector<Vec3d> points;
  for (int i = 0; i < 8; ++i)
    points.push_back({(i & 1) != 0 ? hi[0] : lo[0], (i & 2) != 0 ? hi[1] : lo[1], (i & 4) != 0 ? hi[2] : lo[2]});
  Mesh mesh;
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  mesh.positions = std::move(points);
  return mesh;
}

// ---- lists

struct Case {
  const char* name;
  std::uint64_t digest;
  std::function<void(const sightline::Settings&, Digest&)> run;
};

void of_mesh(const Mesh& mesh, const sightline::Settings& settings, Digest& digest) {
  const Report report = sightline::self_intersections(mesh.view(), settings);
  EXPECT_GT(report.found, 0u);
  digest.add(report);
}

void of_scene(const sightline::Settings& settings, Digest& digest) {
  const Mesh cloth = sheet(11, 40, 0.02, false), cloud = soup<Vec3f>(12, 1500, 0.1), grid = lattice(13, 900, 6);
  Scene scene;
  scene.add(cloth.view(), ObjectOptions{.self = true});
  scene.add(cloth.view().placed({{{{0.75, 0.5, 0, 0.1}, {-0.5, 0.75, 0.25, 0.2}, {0, 0.125, 1, 0}}}}));
  scene.add(cloud.view(), ObjectOptions{.groups = 2, .collides_with = 1});
  scene.add(grid.view().placed({{{{0.2, 0, 0, -0.1}, {0, 0.2, 0, -0.1}, {0, 0, 0.2, -0.3}}}}));
  for (int frame = 0; frame < 3; ++frame) {
    scene.place(2, Transform::translation({0.1 * frame, 0, 0.05 * frame}));
    const Report report = sightline::collide(scene, settings);
    EXPECT_GT(report.found, 0u);
    digest.add(report);
  }
}

const Case kCases[] = {
    {"soup_float", 0x26560da734c080bc, [](const auto& s, Digest& d) { of_mesh(soup<Vec3f>(1, 6000, 0.08), s, d); }},
    {"soup_double", 0x4ac0574ce04fc424, [](const auto& s, Digest& d) { of_mesh(soup<Vec3d>(2, 6000, 0.08), s, d); }},
    {"lattice", 0x2b3b3631caaa9959, [](const auto& s, Digest& d) { of_mesh(lattice(3, 3000, 12), s, d); }},
    {"folded_sheet", 0x7e4d3b2ebcf27204, [](const auto& s, Digest& d) { of_mesh(sheet(4, 64, 0.03, true), s, d); }},
    {"all_scales", 0xd021f7b719b60483, [](const auto& s, Digest& d) { of_mesh(all_scales(5, 60), s, d); }},
    {"scene", 0x71c45d3154700837, of_scene},
};

TEST(SameLists, EverySimdOnEveryArchitecture) {
  for (const Case& item : kCases)
    for (int i = 0; i < sightline::kSimdCount; ++i) {
      const auto simd = static_cast<Simd>(i);
      if (!sightline::available(simd)) continue;
      for (const unsigned threads : {1u, 3u}) {
        if (simd != Simd::best && threads != 1) continue;
        sightline::Settings settings;
        settings.simd = simd;
        settings.threads = threads;
        Digest digest;
        item.run(settings, digest);
        EXPECT_EQ(digest.value(), item.digest)
            << item.name << " " << to_string(simd) << " 0x" << std::hex << digest.value();
      }
    }
}

TEST(SameLists, InstructionSetsBelongToTheirArchitecture) {
#if defined(__aarch64__)
  EXPECT_TRUE(sightline::available(Simd::neon));
  for (const Simd simd : {Simd::sse4, Simd::avx2, Simd::avx512}) EXPECT_FALSE(sightline::available(simd));
#elif defined(__x86_64__)
  EXPECT_FALSE(sightline::available(Simd::neon));
#endif
}

/// Points of intersections are rounded in integers: no type wider than double takes part.
TEST(SameLists, IntersectionPoints) {
  Digest digest;
  for (const Mesh& mesh : {soup<Vec3d>(2, 1500, 0.15), lattice(3, 400, 6), all_scales(5, 30)}) {
    const auto view = mesh.view();
    for (const sightline::Contact& contact : sightline::self_intersections(view).contacts) {
      const auto geometry = sightline::intersection(view, contact);
      for (const Vec3d& point : geometry.points())
        for (const double x : point) digest.add(x);
    }
  }
  EXPECT_EQ(digest.value(), 0x9a011972964377b3u) << std::hex << digest.value();
}

TEST(SameLists, RelationsAndGapsOfParts) {
  Random random(21);
  sightline::Assembly assembly;
  for (int i = 0; i < 80; ++i) {
    const Vec3d lo{2 * number(random), 2 * number(random), 2 * number(random)};
    assembly.add(box(lo, {lo[0] + 0.7, lo[1] + 0.1 * (i % 9 + 1), lo[2] + 0.3}));
    if (i % 4 == 0)  // a plate that touches the last box
      assembly.add(box({lo[0], lo[1], lo[2] + 0.3}, {lo[0] + 0.5, lo[1] + 0.5, lo[2] + 0.5}));
  }
  for (std::size_t part = 0; part < assembly.parts.size(); part += 3)
    assembly.parts[part].transform = {{{{0.75, 0.5, 0, 0.1}, {-0.5, 0.75, 0, 0}, {0, 0.125, 1, 0}}}};
  Digest digest;
  int near = 0;
  for (const sightline::PartPair& pair : sightline::clashes(assembly, {.clearance = 0.4}).pairs) {
    for (const std::uint64_t x : {pair.a, pair.b, static_cast<std::uint32_t>(pair.relation), pair.inner}) digest.add(x);
    for (const std::uint64_t count : pair.contacts) digest.add(count);
    digest.add(pair.gap);
    near += pair.relation == sightline::Relation::near;
  }
  EXPECT_GT(near, 20);
  EXPECT_EQ(digest.value(), 0x80fedfbd50b63d9bu) << std::hex << digest.value();
}

/// The contacts and the triangles that each pass dropped: all pixels of all passes take part.
TEST(SameLists, MethodsOfThePapers) {
  const Mesh cloth = sheet(11, 24, 0.05, false), cloud = soup<Vec3f>(12, 300, 0.2);
  Scene scene;
  scene.add(cloth.view(), ObjectOptions{.self = true});
  scene.add(cloud.view());
  Digest digest;
  for (const auto precision : {sightline::papers::Precision::image, sightline::papers::Precision::conservative}) {
    sightline::papers::QuickCullide method;
    method.images.precision = precision;
    method.images.resolution = 128;
    method.images.record_dropped = true;
    const sightline::papers::Report report = sightline::papers::run(scene, method);
    digest.add(report);
    for (const auto& dropped : report.method.dropped)
      for (const std::uint64_t x : {dropped.pass, dropped.triangle.object, dropped.triangle.triangle}) digest.add(x);
  }
  EXPECT_EQ(digest.value(), 0x6711681e06a2a3a7u) << std::hex << digest.value();
}

#if defined(__aarch64__)
constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;  // FPCR.FZ
std::uint64_t control() {
  std::uint64_t value;
  asm volatile("mrs %0, fpcr" : "=r"(value) : : "memory");
  return value;
}
void set_control(std::uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value) : "memory"); }
#elif defined(__x86_64__)
constexpr std::uint32_t kFlush = 0x8040;  // MXCSR: flush to zero, denormals are zero
std::uint32_t control() {
  std::uint32_t value;
  asm volatile("stmxcsr %0" : "=m"(value) : : "memory");
  return value;
}
void set_control(std::uint32_t value) { asm volatile("ldmxcsr %0" : : "m"(value) : "memory"); }
#else
constexpr int kFlush = 0;
int control() { return 0; }
void set_control(int) {}
#endif

std::uint64_t digest_with_points(const Mesh& mesh) {
  Digest digest;
  const auto view = mesh.view();
  const Report report = sightline::self_intersections(view);
  digest.add(report);
  for (const sightline::Contact& contact : report.contacts) {
    const auto geometry = sightline::intersection(view, contact);
    for (const Vec3d& point : geometry.points())
      for (const double x : point) digest.add(x);
  }
  return digest.value();
}

/// Upward rounding, and flush-to-zero as a library built with -ffast-math leaves it: seen in the points of ordinary
/// numbers and in the contacts of denormal ones.
TEST(SameLists, WhateverTheCallersFloatingPointSettings) {
  for (const Mesh& mesh : {soup<Vec3d>(6, 600, 0.3), soup<Vec3d>(6, 600, 0.3, 0x1p-1050)}) {
    const std::uint64_t expected = digest_with_points(mesh);
    std::fesetround(FE_UPWARD);
    set_control(control() | kFlush);
    const auto before = control();
    const std::uint64_t digest = digest_with_points(mesh);
    const bool unchanged = control() == before && std::fegetround() == FE_UPWARD;
    set_control(control() & ~kFlush);
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(unchanged);
    EXPECT_EQ(digest, expected);
  }
}

}  // namespace
