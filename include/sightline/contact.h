// What a query answers: contacts in canonical order, and how they were found.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sightline/method.h"

namespace sightline {

/// The kind of a contact, decided exactly (docs/definitions.md).
enum class Kind : std::uint8_t {
  touching,   ///< they meet, but their interiors do not
  crossing,   ///< their interiors meet and they do not lie in one plane
  coplanar,   ///< they lie in one plane and overlap in an area
  duplicate,  ///< they have the same corners
};
inline constexpr int kKindCount = 4;
std::string_view to_string(Kind kind);

/// Triangle `a` of object `object_a` meets triangle `b` of object `object_b`. The smaller object comes first, and
/// within one object the smaller triangle.
struct Contact {
  std::uint32_t object_a = 0;
  std::uint32_t object_b = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Kind kind = Kind::touching;

  friend bool operator==(const Contact&, const Contact&) = default;
  /// The canonical order: object a, object b, triangle a, triangle b.
  friend std::strong_ordering operator<=>(const Contact&, const Contact&) = default;
};

/// One named step of a query: how long it took and how many things left it.
struct Stage {
  std::string_view name;  ///< a string literal
  double milliseconds = 0;
  std::uint64_t count = 0;
  std::string_view unit;  ///< what `count` counts: "entries", "pairs", …
};

struct Stats {
  std::vector<Stage> stages;
  double milliseconds = 0;             ///< the whole query
  std::uint64_t triangles = 0;         ///< looked at
  std::uint64_t candidates = 0;        ///< pairs whose boxes overlap, each counted once
  std::uint64_t decided_filtered = 0;  ///< of those, settled by the certified float filter
  std::uint64_t decided_exact = 0;     ///< of those, handed on to the double filter and exact arithmetic
  std::uint64_t peak_bytes = 0;        ///< working memory above the input and the report itself; on a GPU, all of it
  std::string_view simd;               ///< the instruction set that ran, or "cuda"
  unsigned threads = 0;
  std::string_view device = "cpu";  ///< where it ran
};

/// The answer of a query. Storage is reused when the same Report is passed again; contents are always replaced.
struct Report {
  std::vector<Contact> contacts;  ///< in canonical order
  std::uint64_t found = 0;        ///< contacts found; more than contacts.size() if max_contacts cut the list
  /// False if `first` or a cancel ended the query early, max_contacts cut the list, or the method can miss contacts.
  bool complete = true;
  bool cancelled = false;
  MethodReport method;  ///< who answered, and how
  Stats stats;
};

}  // namespace sightline
