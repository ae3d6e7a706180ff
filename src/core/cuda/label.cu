#include <algorithm>

#include "cuda/label.h"

namespace sightline::cuda {
namespace {

__global__ void label_triangles(const std::uint32_t* first, const std::uint32_t* self, std::uint32_t objects,
                                std::uint32_t triangles, std::uint32_t* object) {
  const std::uint64_t triangle = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (triangle >= triangles) return;
  std::uint32_t low = 0, high = objects;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (first[middle] <= triangle ? low : high) = middle;
  }
  object[triangle] = low * 2 + self[low];
}

}  // namespace

void Labels::upload(std::span<const LabelledObject> objects, cudaStream_t stream) {
  known_.clear();  // until the copy is complete
  const std::size_t n = objects.size();
  table_.resize(n * 3);
  std::uint32_t triangles = 0;
  for (std::size_t i = 0; i < n; ++i) {
    table_[i] = triangles;
    table_[n + i] = objects[i].id;
    table_[2 * n + i] = objects[i].options.self ? 1 : 0;
    triangles += objects[i].triangle_count;
  }
  bits_.clear();
  const auto bits = [](const ObjectOptions& o) { return o.groups | std::uint64_t{o.collides_with} << 32; };
  const ObjectOptions& any = objects[0].options;
  const bool all_wanted = (any.groups & any.collides_with) != 0 &&
                          std::ranges::all_of(objects, [&](const auto& o) { return bits(o.options) == bits(any); });
  if (!all_wanted)
    for (const LabelledObject& object : objects) bits_.push_back(bits(object.options));
  const auto copy = [&](auto& to, const auto* from) {
    SIGHTLINE_CUDA(cudaMemcpyAsync(to.reserve(n), from, n * sizeof *from, cudaMemcpyHostToDevice, stream));
  };
  if (!all_wanted) copy(groups_, bits_.data());
  copy(first_, table_.data());
  copy(id_, table_.data() + n);
  copy(self_, table_.data() + 2 * n);
  object_.reserve(triangles);
  constexpr unsigned kThreads = 256;
  launch(label_triangles, blocks_for(triangles, kThreads), kThreads, stream, first_.data(), self_.data(),
         static_cast<std::uint32_t>(n), triangles, object_.data());
  known_.assign(objects.begin(), objects.end());
}

void Labels::assign(std::span<const LabelledObject> objects, Input& input, cudaStream_t stream) {
  input.object = input.first_triangle = input.object_id = nullptr;
  input.groups = nullptr;
  input.object_ids = 1;
  input.most_triangles = input.triangle_count;
  if (objects.size() == 1 && objects[0].options.self && objects[0].id == 0) return;
  if (!std::ranges::equal(objects, known_)) upload(objects, stream);
  input.object = object_.data();
  input.first_triangle = first_.data();
  input.object_id = id_.data();
  if (!bits_.empty()) input.groups = groups_.data();
  input.most_triangles = 0;
  for (const LabelledObject& object : objects) {
    input.object_ids = std::max(input.object_ids, object.id + 1);
    input.most_triangles = std::max(input.most_triangles, object.triangle_count);
  }
}

}  // namespace sightline::cuda
