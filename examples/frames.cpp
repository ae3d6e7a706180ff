// A cloth that falls on a body: the contacts of every frame, the cloth's with itself included.
#include <fmt/core.h>
#include <sightline/sightline.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace {

// A grid of n × n squares over [-1, 1]², at z = height(x, y).
template <typename Height>
std::vector<sightline::Vec3f> grid_positions(std::uint32_t n, const Height& height) {
  std::vector<sightline::Vec3f> positions;
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t k = 0; k <= n; ++k) {
      const float x = 2.0f * static_cast<float>(i) / static_cast<float>(n) - 1;
      const float y = 2.0f * static_cast<float>(k) / static_cast<float>(n) - 1;
      positions.push_back({x, y, height(x, y)});
    }
  return positions;
}

std::vector<sightline::Triangle> grid_triangles(std::uint32_t n) {
  std::vector<sightline::Triangle> triangles;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t at = i * (n + 1) + k;
      triangles.push_back({at, at + n + 1, at + n + 2});
      triangles.push_back({at, at + n + 2, at + 1});
    }
  return triangles;
}

struct Frame {
  std::vector<sightline::Vec3f> cloth;
};

// The cloth comes down from z = 1 to z = 0 and is a little wavy.
std::vector<Frame> simulate(std::uint32_t n, int count) {
  std::vector<Frame> frames;
  for (int i = 0; i < count; ++i) {
    const float z = 1 - static_cast<float>(i) / static_cast<float>(count - 1);
    frames.push_back({grid_positions(n, [z](float x, float y) { return z + 0.05f * std::sin(7 * x + 5 * y); })});
  }
  return frames;
}

std::size_t last = 0;
void respond(std::span<const sightline::Contact> contacts) { fmt::print("{} contacts\n", last = contacts.size()); }

}  // namespace

int main() {
  constexpr std::uint32_t kSquares = 40;
  const auto hill = [](float x, float y) { return 0.6f - x * x - y * y; };
  const sightline::Mesh body_mesh = {"body", grid_positions(kSquares, hill), grid_triangles(kSquares)};
  const std::vector<Frame> frames = simulate(kSquares, 5);
  const sightline::Mesh cloth_mesh = {"cloth", frames.front().cloth, grid_triangles(kSquares)};

  // [readme]
  sightline::Scene scene(sightline::Device::cpu());
  const auto cloth = scene.add(cloth_mesh, {.self = true});
  scene.add(body_mesh);
  sightline::Report hits;  // storage reused from frame to frame
  for (const Frame& frame : frames) {
    scene.move(cloth, frame.cloth);  // new positions, same triangles
    scene.collide(hits);             // replaces the contents, never appends
    respond(hits.contacts);
  }
  // [readme]
  return last > 0 ? 0 : 1;  // the cloth has reached the hill
}
