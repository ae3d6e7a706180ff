// `check` of meshes whose triangles and contacts are not in memory.
#pragma once

#include <functional>
#include <memory>

#include "parts/huge.h"
#include "sightline/io.h"
#include "tool/options.h"
#include "tool/progress.h"

namespace sightline::tool {

struct HugeAnswer {
  HugeReport report;
  std::string name;  ///< of the mesh
  double read_ms = 0;
};
/// The answer for one file; `intersections`: with the points of contacts.
using FindHuge = std::function<HugeAnswer(const std::filesystem::path& path, bool intersections, Progress& progress)>;

/// The output of `check`, with the answers of `find`.
int check_huge(const Settings& settings, const FindHuge& find);

/// --simd, --axis and --cell, without a lower bound for the memory.
scale::HugeTuning huge_tuning(const Settings& settings);

/// How a file is opened; `memory`: of the reader. Throws Error for standard input and sequences.
OpenOptions open_options(const Settings& settings, const std::filesystem::path& path, std::uint64_t memory);

}  // namespace sightline::tool
