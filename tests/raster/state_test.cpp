// What happens to fragments: depth, stencil, colour, images, queries, clears, read-back, errors.
#include <gtest/gtest.h>

#include <bit>

#include "raster/fragment.h"
#include "support.h"

namespace sightline::papers::raster::test {
namespace {

class StateTest : public RasterTest {};
const Compare kFunctions[] = {Compare::never,  Compare::less,    Compare::lequal,   Compare::equal,
                              Compare::gequal, Compare::greater, Compare::notequal, Compare::always};

/// A canvas of 4 x 4 with rectangles over all of it at three depths.
struct Layers {
  explicit Layers(const Which& which, Target target = {4, 4, DepthFormat::fixed24, Coverage::image, true, true})
      : canvas(which, target) {
    near = canvas.rectangle(0, 0, 4, 4, 0.25);
    middle = canvas.rectangle(0, 0, 4, 4, 0.5);
    far = canvas.rectangle(0, 0, 4, 4, 0.75);
    canvas.ready();
  }
  Canvas canvas;
  std::vector<std::uint32_t> near, middle, far;
};

TEST_P(StateTest, DepthFunctions) {
  // As in OpenGL: fragment compared with stored.
  const bool passes[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}};
  for (int f = 0; f < 8; ++f) {
    Layers layers(GetParam());
    State state;
    state.depth = kFunctions[f];
    const std::vector<std::uint32_t>* drawn[] = {&layers.near, &layers.middle, &layers.far};
    for (int i = 0; i < 3; ++i) {
      layers.canvas->clear_depth(far_key(DepthFormat::fixed24));
      layers.canvas.draw({}, layers.middle);
      const auto before = layers.canvas->read_depth();
      EXPECT_EQ(layers.canvas.draw(state, *drawn[i]), passes[f][i] ? 16u : 0u) << "function " << f << ", layer " << i;
      const bool moved = layers.canvas->read_depth() != before;
      EXPECT_EQ(moved, passes[f][i] && i != 1);
    }
  }
}

TEST_P(StateTest, DepthMaskAndDepthTestOff) {
  Layers layers(GetParam());
  State state;
  state.depth_write = false;
  EXPECT_EQ(layers.canvas.draw(state, layers.near), 16u);
  state.depth_write = true, state.depth_test = false;
  EXPECT_EQ(layers.canvas.draw(state, layers.near), 16u);
  for (const auto key : layers.canvas->read_depth()) EXPECT_EQ(key, far_key(DepthFormat::fixed24));
}

TEST_P(StateTest, FormatsAndTheirRounding) {
  for (const auto format : {DepthFormat::fixed16, DepthFormat::fixed24, DepthFormat::fixed32}) {
    if (!GetParam().has(format)) {
      EXPECT_THROW(Canvas(GetParam(), {2, 2, format}), Error);
      continue;
    }
    const double unit = 1 / units(format);
    const std::pair<double, std::uint32_t> cases[] = {{0, 2},
                                                      {1, far_key(format) - 2},
                                                      {10.4 * unit, 12},
                                                      {10.6 * unit, 13},
                                                      {1 - 3.4 * unit, far_key(format) - 5},
                                                      {1 - 3.6 * unit, far_key(format) - 6}};
    for (const auto& [z, key] : cases) {
      Canvas canvas(GetParam(), {2, 2, format});
      const auto square = canvas.rectangle(0, 0, 2, 2, z);
      canvas.ready();
      canvas.draw({}, square);
      for (const auto stored : canvas->read_depth()) EXPECT_EQ(stored, key) << z;
    }
  }
  Canvas canvas(GetParam(), {2, 2, DepthFormat::float32});
  const auto square = canvas.rectangle(0, 0, 2, 2, 0.5);
  canvas.ready();
  canvas.draw({}, square);
  for (const auto stored : canvas->read_depth()) EXPECT_NEAR(std::bit_cast<float>(stored), 0.5, 1e-6);
}

TEST_P(StateTest, DepthIsLinearAcrossATriangle) {
  Canvas canvas(GetParam(), {100, 80, DepthFormat::fixed24});
  canvas.scene().positions = {{0, 0, 0}, {100, 0, 0.5}, {100, 80, 1}, {0, 80, 0.5}};
  canvas.scene().triangles = {{0, 1, 2}, {0, 2, 3}};
  canvas.ready();
  canvas.draw({}, {0, 1});
  const auto depth = canvas->read_depth();
  for (int y = 0; y < 80; ++y)
    for (int x = 0; x < 100; ++x) {
      const double z = 2 + units(DepthFormat::fixed24) * ((x + 0.5) / 200 + (y + 0.5) / 160);
      ASSERT_NEAR(depth[static_cast<std::size_t>(y * 100 + x)], z, 0.51) << x << ' ' << y;
    }
}

TEST_P(StateTest, StencilFunctionsWithMask) {
  for (int f = 0; f < 8; ++f)
    for (const int stored : {0x12, 0x33, 0x43}) {
      Layers layers(GetParam());
      layers.canvas->clear_stencil(static_cast<std::uint8_t>(stored));
      State state;
      state.stencil_test = true;
      state.stencil = kFunctions[f];
      state.stencil_reference = 0xF3, state.stencil_mask = 0x0F;
      const bool expected = compare(kFunctions[f], 0x3, static_cast<std::uint32_t>(stored) & 0xF);
      EXPECT_EQ(layers.canvas.draw(state, layers.near), expected ? 16u : 0u);
    }
}

TEST_P(StateTest, StencilOperationsAndSaturation) {
  const auto after = [](StencilOp op, int stored) {
    if (op == StencilOp::replace) return 0x70;
    if (op == StencilOp::incr) return std::min(stored + 1, 255);
    return op == StencilOp::decr ? std::max(stored - 1, 0) : stored;
  };
  for (const StencilOp op : {StencilOp::keep, StencilOp::replace, StencilOp::incr, StencilOp::decr})
    for (const int stored : {0, 1, 254, 255})
      for (int way = 0; way < 3; ++way) {  // stencil fails, depth fails, depth passes
        Layers layers(GetParam());
        layers.canvas.draw({}, layers.middle);
        layers.canvas->clear_stencil(static_cast<std::uint8_t>(stored));
        State state;
        state.stencil_test = true;
        state.stencil_reference = 0x70;
        state.stencil = way == 0 ? Compare::never : Compare::always;
        (way == 0 ? state.stencil_fail : way == 1 ? state.depth_fail : state.depth_pass) = op;
        layers.canvas.draw(state, way == 2 ? layers.near : layers.far);
        for (const auto value : layers.canvas->read_stencil()) EXPECT_EQ(value, after(op, stored));
      }
}

TEST_P(StateTest, ColourMasksAndTriangleColours) {
  Layers layers(GetParam());
  State state;
  state.color_mask = kRed | kBlue;
  state.color = {1, 2, 3, 4};
  layers.canvas->clear_color({9, 9, 9, 9});
  layers.canvas.draw(state, layers.near);
  for (const auto& color : layers.canvas->read_color()) EXPECT_EQ(color, (Color{1, 9, 3, 9}));
  const std::vector<Color> colors = {{}, {}, {5, 6, 7, 8}, {5, 6, 7, 8}, {}, {}};
  state.color_mask = kRgba, state.triangle_colors = colors.data(), state.depth_test = false;
  layers.canvas.draw(state, layers.middle);
  for (const auto& color : layers.canvas->read_color()) EXPECT_EQ(color, (Color{5, 6, 7, 8}));
}

TEST_P(StateTest, DifferComparesWithStoredId) {
  Layers layers(GetParam());
  layers.canvas->clear_color({3, 4, 0, 0});
  State state;
  state.depth_test = false, state.differ = true;
  state.color = {0, 0, 3, 4};
  EXPECT_EQ(layers.canvas.draw(state, layers.near), 0u);
  state.color = {3, 4, 3, 5};
  EXPECT_EQ(layers.canvas.draw(state, layers.near), 16u);
}

TEST_P(StateTest, FloorsAndCeilings) {
  Layers layers(GetParam());
  const Image empty = layers.canvas->image(), image = layers.canvas->image();
  layers.canvas.draw({}, layers.middle);
  layers.canvas->copy_depth(image);
  State state;
  state.depth_test = false;
  const auto passed = [&](const std::vector<std::uint32_t>& t) { return layers.canvas.draw(state, t) == 16; };
  state.floor = image;  // strictly deeper
  EXPECT_TRUE(!passed(layers.near) && !passed(layers.middle) && passed(layers.far));
  state.floor = empty, state.ceiling = image;  // not deeper
  EXPECT_TRUE(passed(layers.near) && passed(layers.middle) && !passed(layers.far));
  layers.canvas->write(image, std::vector<std::uint32_t>(16, 1));
  EXPECT_FALSE(passed(layers.near));
}

TEST_P(StateTest, QueriesAddUpAndReset) {
  Layers layers(GetParam());
  const Query first = layers.canvas->queries(2);
  State state;
  state.depth_write = false;
  layers.canvas->draw(state, layers.near, first + 1);
  layers.canvas->draw(state, layers.far, first + 1);
  EXPECT_EQ(layers.canvas->result(first), 0u);
  EXPECT_EQ(layers.canvas->result(first + 1), 32u);
  EXPECT_EQ(layers.canvas->counters().queries, 2u);
  EXPECT_EQ(layers.canvas->counters().triangles, 4u);
  EXPECT_EQ(layers.canvas->counters().fragments, 32u);
  layers.canvas->reset_queries();
  EXPECT_EQ(layers.canvas->queries(1), 0u);
  EXPECT_EQ(layers.canvas->result(0), 0u);
}

TEST_P(StateTest, DrawsThatDependOnQueries) {
  Layers layers(GetParam());
  const std::uint32_t far = far_key(layers.canvas->target().format);
  const Query seen = layers.canvas->queries(3), hidden = seen + 1, never = seen + 2;
  State ask;
  ask.depth_write = false;
  layers.canvas->draw({}, layers.near);
  layers.canvas->draw(ask, layers.near, hidden);  // not less than itself
  ask.depth = Compare::always;
  layers.canvas->draw(ask, layers.near, seen);
  layers.canvas->clear_depth(far);
  const auto drawn_if = [&](Query query) {
    draw_if(*layers.canvas, query, {}, layers.far);
    const std::vector<std::uint32_t> depth = layers.canvas->read_depth();
    return std::any_of(depth.begin(), depth.end(), [&](std::uint32_t key) { return key != far; });
  };
  EXPECT_FALSE(drawn_if(hidden));
  EXPECT_FALSE(drawn_if(never));
  EXPECT_TRUE(drawn_if(seen));
  EXPECT_EQ(layers.canvas->result(never), 0u);
  EXPECT_EQ(layers.canvas->counters().renders, 2u);  // what was not drawn does not count
  EXPECT_THROW(draw_if(*layers.canvas, seen + 3, {}, layers.far), Error);
}

/// Results that are fetched because there are more queries than the device has room for, with such draws on the way.
TEST_P(StateTest, DrawsThatDependOnQueriesAmongManyQueries) {
  for (const bool by_ask : {true, false}) {
    Layers layers(GetParam());
    const std::uint32_t far = far_key(layers.canvas->target().format);
    const Query seen = layers.canvas->queries(1);
    State ask, floor;
    ask.depth = Compare::always;
    ask.depth_write = false;
    layers.canvas->draw(ask, layers.near, seen);
    layers.canvas->clear_depth(far);
    layers.canvas->queries(5000);
    if (by_ask) {
      ask.depth = Compare::never;
      layers.canvas->draw(ask, layers.near, seen);
      draw_if(*layers.canvas, seen, {}, layers.far);
    } else {
      floor.floor = layers.canvas->image();
      const Image other = layers.canvas->image();
      ask.depth = Compare::never;
      ask.floor = floor.floor;
      layers.canvas->draw(ask, layers.near);
      floor.floor = other;
      draw_if(*layers.canvas, seen, floor, layers.far);
    }
    const std::vector<std::uint32_t> depth = layers.canvas->read_depth();
    EXPECT_TRUE(std::any_of(depth.begin(), depth.end(), [&](std::uint32_t key) { return key != far; })) << by_ask;
  }
}

TEST_P(StateTest, ClearsInBetweenAndReadBack) {
  Layers layers(GetParam());
  layers.canvas.draw({}, layers.near);
  layers.canvas->clear_depth(0);
  State state;
  state.depth = Compare::greater;
  state.color_mask = kAlpha, state.color = {0, 0, 0, 7};
  layers.canvas.draw(state, {layers.far[0]});
  layers.canvas->clear_stencil(5);
  const auto depth = layers.canvas->read_depth();
  const auto compact = layers.canvas->read_color_compact(kAlpha);
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < depth.size(); ++i)
    if (depth[i] != 0) {
      ASSERT_LT(drawn, compact.size());
      EXPECT_EQ(compact[drawn].x, i % 4);
      EXPECT_EQ(compact[drawn].y, i / 4);
      EXPECT_EQ(compact[drawn].color, (Color{0, 0, 0, 7}));
      ++drawn;
    }
  EXPECT_EQ(compact.size(), drawn);
  EXPECT_TRUE(layers.canvas->read_color_compact(kRed).empty());
  for (const auto value : layers.canvas->read_stencil()) EXPECT_EQ(value, 5);
}

TEST_P(StateTest, Errors) {
  Layers layers(GetParam(), {4, 4, DepthFormat::fixed24, Coverage::conservative});
  Raster& raster = *layers.canvas;
  for (const Target& target : {Target{0, 4}, Target{4, 0}, Target{kMostPixels + 1, 1}, Target{1, kMostPixels + 1}})
    EXPECT_THROW(raster.target(target), Error);
  Camera camera;
  camera.perspective = true, camera.near = 0.1;
  EXPECT_THROW(raster.camera(camera), Error);
  State stencil, color, differ, floor;
  stencil.stencil_test = true, color.color_mask = kRed, differ.differ = true, floor.floor = 0;
  for (const State& state : {stencil, color, differ, floor}) EXPECT_THROW(raster.draw(state, layers.near), Error);
  EXPECT_THROW(raster.draw({}, layers.near, 3), Error);
  EXPECT_THROW(raster.result(0), Error);
  EXPECT_THROW(raster.copy_depth(0), Error);
  raster.image();
  EXPECT_THROW(raster.write(0, std::vector<std::uint32_t>(15)), Error);
  EXPECT_EQ(layers.canvas.draw({}, layers.near), 16u);  // still works
}

INSTANTIATE_TEST_SUITE_P(All, StateTest, testing::ValuesIn(kAll), name_of);

}  // namespace
}  // namespace sightline::papers::raster::test
