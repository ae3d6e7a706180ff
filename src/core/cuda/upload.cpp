#include "cuda/upload.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/format.h"

namespace sightline::cuda {
namespace {

/// fill(first, last) for pieces of [first, last), shared by the workers.
template <typename Fill>
void in_pieces(std::size_t first, std::size_t last, Workers& workers, const Fill& fill) {
  constexpr std::size_t kPiece = 1 << 13;
  workers.for_each((last - first + kPiece - 1) / kPiece, [&](std::size_t i) {
    const std::size_t from = first + i * kPiece;
    fill(from, std::min(last, from + kPiece));
  });
}

/// A buffer that has to grow gets room for a quarter more: objects that break grow a little each frame. Returns true if
/// the contents are lost.
template <typename Item>
bool fit(DeviceBuffer<Item>& buffer, std::uint64_t count) {
  if (count <= buffer.capacity()) return false;
  buffer.reserve(buffer.capacity() == 0 ? count : count + count / 4);
  return true;
}

}  // namespace

void SceneArrays::lay_out(std::span<const QueryObject> objects) {
  slots_.clear();
  labelled_.clear();
  vertex_count_ = triangle_count_ = 0;
  wide_ = false;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const QueryObject& object = objects[i];
    const MeshView& mesh = object.mesh;
    if (mesh.triangles.empty()) continue;
    slots_.push_back({object.id, static_cast<std::uint32_t>(i), object.positions_version, object.triangles_version,
                      vertex_count_, mesh.positions.size(), triangle_count_, mesh.triangles.size()});
    labelled_.push_back({object.id, static_cast<std::uint32_t>(mesh.triangles.size()), object.options});
    vertex_count_ += mesh.positions.size();
    triangle_count_ += mesh.triangles.size();
    wide_ = wide_ || mesh.positions.is_double();
  }
  constexpr std::uint64_t kMostVertices = 0xFFFFFFFF, kMostTriangles = 0x7FFFFFFF;
  if (vertex_count_ > kMostVertices || triangle_count_ > kMostTriangles)
    throw Error(formatted("cuda: {} vertices and {} triangles in all; at most {} and {} can be numbered on this device",
                          vertex_count_, triangle_count_, kMostVertices, kMostTriangles));
}

void SceneArrays::reserve() {
  const bool lost = wide_ ? fit(f64_, vertex_count_) : fit(f32_, vertex_count_);
  if (lost || wide_ != was_wide_) sent_positions_.clear();
  was_wide_ = wide_;
  if (fit(triangles_, triangle_count_)) sent_triangles_.clear();
}

void SceneArrays::release() {
  forget();
  f32_.release();
  f64_.release();
  triangles_.release();
  labels_.release();
}

/// Calls write(slot) for each slot that differs from the one in its place on the device.
template <typename Same, typename Write>
void SceneArrays::send(std::vector<Slot>& sent, const Same& same, const Write& write) {
  const std::vector<Slot> known = std::exchange(sent, {});  // none until the copy is complete
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (i >= known.size() || !same(slots_[i], known[i])) write(slots_[i]);
  staging_.flush();
  sent = slots_;
}

void SceneArrays::send_positions(std::span<const QueryObject> objects, Workers& workers) {
  send(sent_positions_, std::mem_fn(&Slot::same_positions), [&](const Slot& slot) {
    const MeshView& mesh = objects[slot.place].mesh;
    const auto copy = [&](auto* out, std::size_t first, std::size_t last) {
      in_pieces(first, last, workers, [&](std::size_t begin, std::size_t end) {
        if constexpr (std::is_same_v<decltype(out), Vec3d*>) {
          for (std::size_t v = begin; v < end; ++v) out[v - first] = mesh.position(v);
        } else if (mesh.is_placed()) {
          for (std::size_t v = begin; v < end; ++v) {
            const Vec3d p = mesh.position(v);
            out[v - first] = {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
          }
        } else {
          const auto from = mesh.positions.f32();
          for (std::size_t v = begin; v < end; ++v) out[v - first] = from[v];
        }
      });
    };
    if (wide_)
      staging_.write(f64_.data() + slot.first_vertex, slot.vertex_count, copy);
    else
      staging_.write(f32_.data() + slot.first_vertex, slot.vertex_count, copy);
  });
}

void SceneArrays::send_triangles(std::span<const QueryObject> objects, Workers& workers) {
  send(sent_triangles_, std::mem_fn(&Slot::same_triangles), [&](const Slot& slot) {
    const std::span<const Triangle> from = objects[slot.place].mesh.triangles;
    const auto base = static_cast<std::uint32_t>(slot.first_vertex);
    const auto copy = [&](Triangle* out, std::size_t first, std::size_t last) {
      in_pieces(first, last, workers, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
          out[t - first] = {from[t][0] + base, from[t][1] + base, from[t][2] + base};
      });
    };
    staging_.write(triangles_.data() + slot.first_triangle, slot.triangle_count, copy);
  });
}

Input SceneArrays::update(std::span<const QueryObject> objects, Workers& workers) {
  lay_out(objects);
  reserve();
  send_positions(objects, workers);
  send_triangles(objects, workers);
  Input input{wide_ ? nullptr : f32_.data()->data(), wide_ ? f64_.data()->data() : nullptr, vertex_count_,
              triangles_.data()->data(), static_cast<std::uint32_t>(triangle_count_)};
  labels_.assign(labelled_, input, stream_);
  return input;
}

}  // namespace sightline::cuda
