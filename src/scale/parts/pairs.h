// Relations of parts that are loaded pair after pair.
#pragma once

#include <array>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "base/box.h"
#include "sightline/huge.h"

namespace sightline::scale {

struct PartSize {
  Box box;
  std::uint64_t triangles = 0;
};
/// Loads and validates the part.
SIGHTLINE_API PartSize size_of_part(PartSource& parts, std::size_t part, unsigned threads);

/// The pairs of parts whose boxes are in reach of the clearance, sorted.
SIGHTLINE_API std::vector<std::array<std::uint32_t, 2>> pairs_in_reach(std::span<const PartSize> sizes,
                                                                       double clearance);

/// Bytes that the relation of two parts takes for each of their triangles, positions and triangles included: alone, and
/// with depths, volumes, separations or a tolerance.
inline constexpr std::uint64_t kRelationBytes = 120, kMeasureBytes = 450;

struct PairMemory {
  std::uint64_t kept = 0;  ///< bytes of positions and triangles of parts that are kept for later pairs
  std::uint64_t pair = std::numeric_limits<std::uint64_t>::max();  ///< two parts that need more are an Error
};

/// The relations of sightline/huge.h. `contacts` may be null.
SIGHTLINE_API Clashes relations(PartSource& parts, const HugeReport* contacts, const ClashOptions& options,
                                const PairMemory& memory);

/// The numbers of contacts of each pair, which are sorted, from a list.
SIGHTLINE_API void add_counts(const HugeReport& contacts, std::span<PartPair> pairs);

/// Answers pairs, one at a time. Parts stay loaded as long as there is room; the least recently used ones go first.
class SIGHTLINE_API PairAnswers {
 public:
  PairAnswers(PartSource& source, const ClashOptions& options, const PairMemory& memory);
  PairAnswers(const PairAnswers&) = delete;
  PairAnswers& operator=(const PairAnswers&) = delete;
  ~PairAnswers();

  /// Nothing if the parts are clear. `contacts`: all contacts of a with b as objects 0 and 1, in order; null: none are
  /// known.
  std::optional<PartPair> answer(std::uint32_t a, std::uint32_t b, const Report* contacts);
  unsigned threads() const { return threads_; }

 private:
  struct Loaded {
    MeshView view;
    std::list<std::size_t>::iterator place;
  };
  const MeshView& load(std::size_t number);
  void release(std::size_t number);

  PartSource& source_;
  ClashOptions options_;
  PairMemory memory_;
  std::uint64_t bytes_ = 0;
  unsigned threads_ = 0;
  std::map<std::size_t, Loaded> parts_;
  std::list<std::size_t> used_;  ///< the last one first
};

}  // namespace sightline::scale
