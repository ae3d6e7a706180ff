// Random lists of calls: the fast implementation against the plain one, bit by bit, for every instruction set, several
// numbers of threads and several sizes.
#include <gtest/gtest.h>

#include "support.h"
#include "support/sizes.h"

namespace sightline::papers::raster::test {
namespace {

struct Size {
  std::uint32_t width, height;
};

/// The same calls on two rasters.
class Pair {
 public:
  /// `inside`: nothing has to be clipped, and views are orthographic (what a GPU sets up by itself).
  Pair(Raster& plain, Raster& fast, std::uint64_t seed, bool fixed32 = true, bool inside = false)
      : plain_(plain), fast_(fast), random_(seed), fixed32_(fixed32), inside_(inside) {}

  void start(const Size& size) {
    target_.width = size.width, target_.height = size.height;
    target_.format = static_cast<DepthFormat>(pick(4));
    if (!fixed32_ && target_.format == DepthFormat::fixed32) target_.format = DepthFormat::float32;
    target_.coverage = pick(3) == 0 ? Coverage::conservative : Coverage::image;
    target_.stencil = pick(2) == 0;
    target_.color = pick(3) == 0;
    both([&](Raster& r) { r.target(target_); });
    images_ = 0, queries_ = 0;
    make_scene();
    set_camera();
  }

  void step() {
    switch (pick(24)) {
      case 0:
        return set_camera();
      case 1: {
        const std::uint32_t key = pick(2) == 0 ? 0 : far_key(target_.format);
        return both([&](Raster& r) { r.clear_depth(key); });
      }
      case 2: {
        const auto value = static_cast<std::uint8_t>(pick(256));
        return both([&](Raster& r) { r.clear_stencil(value); });
      }
      case 3: {
        const Color color = random_color();
        return both([&](Raster& r) { r.clear_color(color); });
      }
      case 4:
        if (images_ < 3) {
          both([&](Raster& r) { r.image(); });
          ++images_;
        }
        return;
      case 5:
        if (images_ > 0) {
          const Image to = pick(images_);
          both([&](Raster& r) { r.copy_depth(to); });
        }
        return;
      case 6:
        return compare();
      case 7:
        return compare_queries();
      case 8:
      case 9:
      case 10:
      case 11:
        return draw_singly();
      default:
        return draw();
    }
  }

  void compare() {
    same(plain_.read_depth(), fast_.read_depth(), "depth");
    if (testing::Test::HasFatalFailure()) return;
    same(plain_.read_stencil(), fast_.read_stencil(), "stencil");
    same(plain_.read_color(), fast_.read_color(), "colour");
    const auto a = plain_.read_color_compact(kRed | kAlpha), b = fast_.read_color_compact(kRed | kAlpha);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_TRUE(a[i].x == b[i].x && a[i].y == b[i].y && a[i].color == b[i].color);
    compare_queries();
  }

 private:
  template <typename T>
  void same(const std::vector<T>& a, const std::vector<T>& b, const char* what) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(a[i], b[i]) << what << " at " << i % target_.width << ", " << i / target_.width << ", format "
                            << static_cast<int>(target_.format) << ", coverage " << static_cast<int>(target_.coverage);
  }
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  template <typename Call>
  void both(const Call& call) {
    call(plain_);
    call(fast_);
  }
  Color random_color() {
    Color color;
    for (auto& channel : color) channel = static_cast<std::uint16_t>(pick(3) * 1000);
    return color;
  }

  /// Triangles of very different sizes, some on whole and half pixels, some without area, some equal.
  void make_scene() {
    scene_ = Scene{};
    const double w = target_.width, h = target_.height, least = std::min(w, h);
    for (int i = 0; i < 60; ++i) {
      const double size = std::pow(10.0, real(-2, 1)) * least;
      const Vec3d at = {real(-0.2, 1.2) * w, real(-0.2, 1.2) * h, real(-0.1, 1.1)};
      Vec3d corner[3];
      for (Vec3d& c : corner) {
        c = {at[0] + real(-size, size), at[1] + real(-size, size), at[2] + real(-0.2, 0.2)};
        if (i % 4 == 0) c = {std::round(c[0] * 2) / 2, std::round(c[1] * 2) / 2, std::round(c[2] * 16) / 16};
      }
      if (i % 11 == 0) corner[2] = corner[1];
      if (i % 13 == 0)
        for (int k = 0; k < 3; ++k) corner[2][k] = (corner[0][k] + corner[1][k]) / 2;
      if (i % 17 == 0) corner[1][0] *= 1e4;
      if (inside_)
        for (Vec3d& c : corner)
          c = {std::clamp(c[0], -w, 2 * w), std::clamp(c[1], -h, 2 * h), std::clamp(c[2], 0.01, 0.99)};
      scene_.add(corner[0], corner[1], corner[2]);
    }
    // Neighbours that share corners.
    for (std::uint32_t i = 0; i < 20; ++i) scene_.triangles.push_back({3 * i, 3 * i + 4, 3 * i + 2});
    colors_.clear();
    for (std::size_t i = 0; i < scene_.triangles.size(); ++i) colors_.push_back(random_color());
    both([&](Raster& r) { r.geometry(scene_.geometry()); });
  }

  void set_camera() {
    Camera camera = pixel_camera(target_.width, target_.height);
    if (target_.coverage == Coverage::image && pick(3) == 0 && !inside_) {
      camera.perspective = true;
      camera.origin = {target_.width * 0.5, target_.height * 0.5, -0.4};
      camera.near = 0.05, camera.far = 1.3;
      camera.left = camera.bottom = -0.6 * target_.width, camera.right_edge = camera.top = 0.6 * target_.width;
    } else if (pick(2) == 0) {
      camera.left = real(-1, 0) * target_.width;
      camera.top = real(0.5, 2) * target_.height;
    }
    both([&](Raster& r) { r.camera(camera); });
  }

  State random_state() {
    State s;
    s.depth_test = pick(8) != 0;
    s.depth = static_cast<Compare>(pick(8));
    s.depth_write = pick(3) != 0;
    s.cull = static_cast<Cull>(pick(5) < 3 ? 0 : 1 + pick(2));
    s.fill = pick(6) == 0 ? Fill::line : Fill::solid;
    if (target_.stencil && pick(2) == 0) {
      s.stencil_test = true;
      s.stencil = static_cast<Compare>(pick(8));
      s.stencil_reference = static_cast<std::uint8_t>(pick(256));
      s.stencil_mask = static_cast<std::uint8_t>(pick(2) == 0 ? 255 : pick(256));
      s.stencil_fail = static_cast<StencilOp>(pick(4));
      s.depth_fail = static_cast<StencilOp>(pick(4));
      s.depth_pass = static_cast<StencilOp>(pick(4));
    }
    if (target_.color && pick(2) == 0) {
      s.color_mask = static_cast<std::uint8_t>(pick(16));
      s.color = random_color();
      if (pick(2) == 0) s.triangle_colors = colors_.data();
      s.differ = pick(3) == 0;
    }
    if (images_ > 0 && pick(4) == 0) s.floor = pick(images_);
    if (images_ > 0 && pick(4) == 0) s.ceiling = pick(images_);
    return s;
  }
  Query random_query() {
    if (pick(2) == 0) return kNoQuery;
    both([&](Raster& r) { r.queries(1); });
    return static_cast<Query>(pick(static_cast<std::uint32_t>(++queries_)));
  }
  std::vector<std::uint32_t> random_triangles(std::uint32_t most) {
    std::vector<std::uint32_t> list(pick(most));
    for (auto& t : list) t = pick(static_cast<std::uint32_t>(scene_.triangles.size()));
    return list;
  }

  void draw() {
    const State state = random_state();
    const Query query = random_query();
    const auto list = random_triangles(30);
    if (queries_ > 0 && pick(4) == 0) {
      const Query only_if = pick(static_cast<std::uint32_t>(queries_));
      return both([&](Raster& r) { draw_if(r, only_if, state, list); });
    }
    both([&](Raster& r) { r.draw(state, list, query); });
  }
  /// Test and write, triangle by triangle: what the fast implementation does in one traversal.
  void draw_singly() {
    State test, write;
    test.depth = static_cast<Compare>(pick(8));
    test.depth_write = false;
    write.depth = pick(2) == 0 ? Compare::less : Compare::lequal;
    test.cull = write.cull = static_cast<Cull>(pick(3));
    const auto list = random_triangles(30);
    both([&](Raster& r) {
      Query query = r.queries(list.size());
      for (const std::uint32_t& t : list) {
        r.draw(test, {&t, 1}, query++);
        r.draw(write, {&t, 1});
      }
    });
    queries_ += list.size();
    if (pick(2) == 0) sweep_back(test, write, list);
  }
  /// Then back over an empty buffer, as Quick-CULLIDE does: what is drawn depends on the first sweep.
  void sweep_back(const State& test, const State& write, const std::vector<std::uint32_t>& list) {
    const bool singly = pick(3) != 0;
    const std::uint32_t key = far_key(target_.format);
    both([&](Raster& r) {
      const Query second = r.queries(list.size()), first = second - static_cast<Query>(list.size());
      std::vector<std::uint64_t> passed;
      for (Query query = first; query < second; ++query) passed.push_back(r.result(query));
      r.clear_depth(key);
      for (std::size_t i = list.size(); i-- > 0;) {
        const std::span<const std::uint32_t> some(list.data() + (singly ? i : 0), singly ? 1 : i + 1);
        r.draw(test, some, second + static_cast<Query>(i));
        if (passed[i] > 0) r.draw(write, some);
      }
    });
    queries_ += list.size();
  }
  void compare_queries() {
    for (Query q = 0; q < queries_; ++q) ASSERT_EQ(plain_.result(q), fast_.result(q)) << "query " << q;
    const Counters &a = plain_.counters(), &b = fast_.counters();
    ASSERT_EQ(a.fragments, b.fragments);
    ASSERT_EQ(a.renders, b.renders);
    ASSERT_EQ(a.queries, b.queries);
    ASSERT_EQ(a.triangles, b.triangles);
  }

  Raster& plain_;
  Raster& fast_;
  std::mt19937_64 random_;
  bool fixed32_, inside_;
  Target target_;
  Scene scene_;
  std::vector<Color> colors_;
  std::uint32_t images_ = 0;
  std::size_t queries_ = 0;
};

class RasterFuzz : public testing::TestWithParam<Simd> {};

TEST_P(RasterFuzz, SameAsPlain) {
  if (GetParam() != Simd::scalar && !available(GetParam())) GTEST_SKIP() << "not on this machine";
  const Size sizes[] = {{1, 1}, {63, 65}, {200, 130}, {4096, 16}, {64, 64}, {16384, 5}, {17, 500}};
  for (const unsigned threads : {1u, 2u, 5u}) {
    Workers workers(threads);
    const auto plain = make_reference_raster();
    const auto fast = make_cpu_raster(workers, GetParam());
    for (std::uint64_t seed = 0; seed < testing_support::smaller<std::uint64_t>(40); ++seed) {
      Pair pair(*plain, *fast, seed * 100 + threads);
      pair.start(sizes[seed % std::size(sizes)]);
      for (int i = 0; i < 60; ++i) {
        pair.step();
        ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", threads " << threads << ", step " << i;
      }
      pair.compare();
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", threads " << threads << ", at the end";
    }
  }
}

/// OpenGL, all of a batch together and each by itself. Fewer rounds: CI has no GPU.
class GlFuzz : public testing::TestWithParam<Which> {};

TEST_P(GlFuzz, SameAsPlain) {
  if (!gl::missing().empty()) GTEST_SKIP() << "gl: " << gl::missing();
  const Size sizes[] = {{1, 1}, {63, 65}, {200, 130}, {1024, 16}, {64, 64}, {3, 16384}, {17, 100}};
  Workers workers(1);
  const auto plain = make_reference_raster();
  const auto fast = make_raster(GetParam(), workers);
  for (std::uint64_t seed = 0; seed < testing_support::smaller<std::uint64_t>(60); ++seed) {
    Pair pair(*plain, *fast, seed * 100 + 7, GetParam().has(DepthFormat::fixed32), seed % 4 != 0);
    pair.start(sizes[seed % std::size(sizes)]);
    for (int i = 0; i < 40; ++i) {
      pair.step();
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", step " << i;
    }
    pair.compare();
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", at the end";
  }
}

INSTANTIATE_TEST_SUITE_P(All, GlFuzz,
                         testing::Values(Which{"gl_batched", Which::gl_batched}, Which{"gl_each", Which::gl_each}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(All, RasterFuzz, testing::Values(Simd::scalar, Simd::sse4, Simd::avx2, Simd::avx512),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace sightline::papers::raster::test
