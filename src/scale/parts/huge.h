// The queries of sightline/huge.h with settings for tests, on which no answer depends.
#pragma once

#include "input/settings.h"
#include "sightline/huge.h"

namespace sightline::scale {

struct HugeTuning {
  std::uint64_t leaf_triangles = 0;  ///< a part with more of them is cut; 0: as many as fit into memory
  std::size_t fan_out = 0;           ///< leaves of one distribution; 0: as many as buffers fit into memory
  std::size_t list_bytes = 0;        ///< buffer of the lists; 0: a share of the memory
  std::uint64_t first_number = 0;    ///< of the source's first triangle
  std::uint64_t least_memory = std::uint64_t{16} << 20;
  Tuning engine = {};
};

SIGHTLINE_API HugeReport self_intersections(TriangleSource& source, const HugeOptions& options,
                                            const HugeTuning& tuning);

SIGHTLINE_API HugeReport contacts(std::span<const HugePart> parts, const HugeOptions& options,
                                  const HugeTuning& tuning);

}  // namespace sightline::scale
