#include "parts/store.h"

#include <algorithm>

namespace sightline::scale {
namespace {

constexpr std::size_t kRange = 4096;  ///< triangles whose leaves one thread finds at a time

}  // namespace

template <typename Scalar>
void Store<Scalar>::read(const Part::Block& block, std::uint64_t first, std::uint64_t count,
                         Triangles<Scalar>& to) const {
  const std::size_t at = to.size();
  to.tags.resize(at + count);
  to.corners.resize(at + count);
  file_.read(block.tags + first * sizeof(Tag), std::as_writable_bytes(std::span(to.tags).subspan(at)));
  file_.read(block.corners + first * sizeof(Corners<Scalar>),
             std::as_writable_bytes(std::span(to.corners).subspan(at)));
}

template <typename Scalar>
void Store<Scalar>::read_all(const Part& part, Workers& workers, Triangles<Scalar>& to) const {
  to.tags.resize(part.count);
  to.corners.resize(part.count);
  std::vector<std::size_t> begin;
  std::size_t sum = 0;
  for (const Part::Block& block : part.blocks) begin.push_back(sum), sum += block.count;
  workers.for_each(part.blocks.size(), [&](std::size_t i) {
    const Part::Block& block = part.blocks[i];
    file_.read(block.tags, std::as_writable_bytes(std::span(to.tags).subspan(begin[i], block.count)));
    file_.read(block.corners, std::as_writable_bytes(std::span(to.corners).subspan(begin[i], block.count)));
  });
}

template <typename Scalar>
void Store<Scalar>::release(const Part::Block& block) {
  file_.release(block.tags, block.count * kRecordBytes<Scalar>);
}

template <typename Scalar>
Part::Block Store<Scalar>::write(const Triangles<Scalar>& triangles) {
  const std::span tags = std::as_bytes(std::span(triangles.tags));
  const std::span corners = std::as_bytes(std::span(triangles.corners));
  thread_local std::vector<std::byte> bytes;  // one range for both, so that one call releases it
  bytes.assign(tags.begin(), tags.end());
  bytes.insert(bytes.end(), corners.begin(), corners.end());
  const std::uint64_t at = file_.append(bytes);
  return {at, at + tags.size(), triangles.size()};
}

template <typename Scalar>
Distributor<Scalar>::Distributor(Store<Scalar>& store, const Cuts& cuts, std::size_t memory, Workers& workers)
    : store_(store),
      cuts_(cuts),
      workers_(workers),
      most_(std::clamp<std::size_t>(memory / (kRecordBytes<Scalar> * cuts.leaves()), 16, 16384)),
      parts_(cuts.leaves()),
      buffers_(cuts.leaves()) {
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].region = cuts.region(i);
}

template <typename Scalar>
void Distributor<Scalar>::find_leaves(const Triangles<Scalar>& batch) {
  found_.resize((batch.size() + kRange - 1) / kRange);
  workers_.for_blocks(batch.size(), kRange, [&](std::size_t first, std::size_t last) {
    std::vector<Place>& places = found_[first / kRange];
    places.clear();
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t before = places.size();
      cuts_.for_leaves(box_of_corners(batch.corners[i]), [&](std::uint32_t leaf) {
        places.push_back({leaf, static_cast<std::uint32_t>(i), batch.tags[i].shared()});
      });
      if (places.size() > before + 1)
        for (std::size_t k = before; k < places.size(); ++k) places[k].shared = true;
    }
  });
}

/// A counting sort by leaf; triangles of a leaf stay in order.
template <typename Scalar>
void Distributor<Scalar>::sort_places() {
  begin_.assign(cuts_.leaves() + 1, 0);
  for (const std::vector<Place>& places : found_)
    for (const Place& place : places) ++begin_[place.leaf + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  sorted_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const std::vector<Place>& places : found_)
    for (const Place& place : places) sorted_[next[place.leaf]++] = place;
}

template <typename Scalar>
void Distributor<Scalar>::flush(std::size_t leaf) {
  Triangles<Scalar>& buffer = buffers_[leaf];
  if (buffer.size() == 0) return;
  parts_[leaf].blocks.push_back(store_.write(buffer));
  parts_[leaf].count += buffer.size();
  buffer.tags.clear();
  buffer.corners.clear();
}

template <typename Scalar>
void Distributor<Scalar>::fill(std::size_t leaf, const Triangles<Scalar>& batch) {
  Triangles<Scalar>& buffer = buffers_[leaf];
  for (std::size_t i = begin_[leaf]; i < begin_[leaf + 1]; ++i) {
    const Place& place = sorted_[i];
    if (buffer.tags.capacity() == 0) buffer.tags.reserve(most_), buffer.corners.reserve(most_);
    buffer.tags.push_back({batch.tags[place.triangle].bits | (place.shared ? Tag::kShared : 0)});
    buffer.corners.push_back(batch.corners[place.triangle]);
    if (buffer.size() == most_) flush(leaf);
  }
}

template <typename Scalar>
void Distributor<Scalar>::add(const Triangles<Scalar>& batch) {
  find_leaves(batch);
  sort_places();
  workers_.for_each(buffers_.size(), [&](std::size_t leaf) { fill(leaf, batch); });
}

template <typename Scalar>
std::vector<Part> Distributor<Scalar>::finish() {
  for (std::size_t leaf = 0; leaf < buffers_.size(); ++leaf) flush(leaf);
  buffers_ = {};
  return std::move(parts_);
}

template class Store<float>;
template class Store<double>;
template class Distributor<float>;
template class Distributor<double>;

}  // namespace sightline::scale
