// The triangles of several parts as one source.
#pragma once

#include <vector>

#include "parts/leaf.h"
#include "sightline/huge.h"

namespace sightline::scale {

/// One part after the other. Coordinates are float64 if those of any part are. Throws Error for a part without a
/// source.
class JoinedSource : public TriangleSource {
 public:
  explicit JoinedSource(std::span<const HugePart> parts);
  const Objects& objects() const { return objects_; }

  std::string file() const override;
  std::string name() const override { return {}; }
  std::string place(std::uint64_t triangle) const override;
  std::uint64_t size() const override { return objects_.ends.empty() ? 0 : objects_.ends.back(); }
  bool is_double() const override { return is_double_; }
  void read(std::uint64_t first, std::span<CornersF> to) override;
  void read(std::uint64_t first, std::span<CornersD> to) override;
  void rest() override;

 private:
  std::size_t part_of(std::uint64_t triangle) const;
  std::uint64_t begin_of(std::size_t part) const { return part == 0 ? 0 : objects_.ends[part - 1]; }
  template <typename Corners>
  void read_pieces(std::uint64_t first, std::span<Corners> to);

  std::vector<TriangleSource*> sources_;
  Objects objects_;
  bool is_double_ = false;
};

}  // namespace sightline::scale
