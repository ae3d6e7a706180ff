// Assemblies: named parts, and the relation of each pair of parts.
#pragma once

#include "sightline/measure.h"
#include "sightline/query.h"

namespace sightline {

/// Named parts, as a file defines them. Parts that are instances of one mesh share it.
struct Assembly {
  struct Part {
    std::string name;
    std::uint32_t mesh = 0;  ///< number in `meshes`
    Transform transform = {};
  };
  std::vector<Mesh> meshes;
  std::vector<Part> parts;
  /// The unit of all positions, in the words of 3MF ("millimeter", "meter", …): from a 3MF or glTF file. Empty if a
  /// file does not define one, or if files of different units were added.
  std::string unit = {};

  std::size_t size() const { return parts.size(); }
  const std::string& name(std::size_t part) const { return parts[part].name; }
  MeshView view(std::size_t part) const& { return meshes[parts[part].mesh].view().placed(parts[part].transform); }
  MeshView view(std::size_t part) const&& = delete;  // a view of a temporary would dangle
  SIGHTLINE_API std::vector<MeshView> views() const&;
  std::vector<MeshView> views() const&& = delete;
  /// Appends a mesh as a part of its own, named as the mesh.
  SIGHTLINE_API void add(Mesh mesh);
  /// Appends all parts of another assembly.
  SIGHTLINE_API void add(Assembly other);
};

/// The relation of two parts (docs/definitions.md).
enum class Relation : std::uint8_t {
  clear,     ///< no common point, neither inside the other, and the gap is at least the clearance
  near,      ///< as clear, but the gap is below the clearance
  touch,     ///< they share points, but no volume, and no surfaces cross
  contains,  ///< no surface contact; one lies wholly inside the other, which is closed
  clash,     ///< surfaces cross, the volumes of two closed parts overlap, or a closed piece reaches into a closed part
};
SIGHTLINE_API std::string_view to_string(Relation relation);

/// The deepest point of two closed parts that clash or contain each other (docs/definitions.md, "Depth").
struct PairDepth {
  Interval depth;   ///< the greater one of the two protrusions (depth.h)
  Vec3d point{};    ///< the deepest point, on the surface of one part
  Vec3d nearest{};  ///< the nearest point of the other part's surface
  friend bool operator==(const PairDepth&, const PairDepth&) = default;
};

/// A translation that ends all contact of two parts (depth.h: separation()).
struct Separation {
  Vec3d translation{};  ///< of a; b can move by its opposite instead
  double length = 0;    ///< of the translation, rounded up
  /// No shorter translation ends the contact. The bound is the way that one pair of triangles in contact needs, the
  /// greatest of up to 8 deep pairs, less a bound on rounding; of two closed parts, the greater protrusion if that is
  /// more.
  double lower_bound = 0;
  friend bool operator==(const Separation&, const Separation&) = default;
};

struct PartPair {
  std::uint32_t a = 0;  ///< part, the smaller index
  std::uint32_t b = 0;
  Relation relation = Relation::clear;
  std::uint32_t inner = 0;  ///< for contains: the part (a or b) that lies inside the other
  /// Smallest distance between the surfaces: the exact distance, rounded to the nearest double; 0 if the surfaces meet.
  /// It is computed for near, and for contains if a clearance was given; otherwise it is infinity.
  double gap = 0;
  /// A point of a and a point of b that are as far apart as the gap: exact points, rounded to nearest. Where several
  /// pairs of points are, one of them. Present where the gap was computed.
  std::optional<std::array<Vec3d, 2>> nearest = {};
  std::uint64_t contacts[kKindCount] = {};  ///< by Kind; zero with ClashOptions::relations_only
  /// True if the parts clash, and ClashOptions::tolerance made the relation a touch.
  bool tolerated = false;
  std::optional<PairDepth> depth = {};  ///< with ClashOptions::depths
  std::optional<Interval> volume = {};  ///< with ClashOptions::volumes; of the overlap (measure.h)
  std::optional<Extent> overlap = {};   ///< with ClashOptions::volumes; `volume` is its volume
  /// With ClashOptions::separations, of pairs that clash or contain each other; also of each pair that is tolerated.
  std::optional<Separation> separation = {};

  friend bool operator==(const PartPair&, const PartPair&) = default;
};

struct ClashOptions {
  double clearance = 0;  ///< parts closer than this are `near`; the comparison is exact
  /// Find the relations alone, without a list of contacts: the search of a pair ends as soon as its relation is proven.
  /// The relations are those that the list gives. Instances of one mesh share its search structure. On the CPU only.
  bool relations_only = false;
  /// A clash that a translation shorter than this is verified to end becomes a touch. 0: none does.
  double tolerance = 0;
  /// Depths of the pairs that clash or contain each other, if both parts are closed.
  bool depths = false;
  /// Volumes of their overlaps, if both parts enclose volumes.
  bool volumes = false;
  /// Short translations, each of them verified, that end the contact of these pairs. Parts may be open.
  bool separations = false;
  /// Options of the query for contacts. The classification also uses its `threads` and `cancel`; a cancel during the
  /// classification throws Error.
  Options query = {};
};

/// All pairs of parts that are not clear, sorted by (a, b), and the statistics of the query.
struct Clashes {
  std::vector<PartPair> pairs;
  Stats stats;  ///< from classify(): only the stages of the classification
};

SIGHTLINE_API Clashes clashes(const Assembly& assembly, const ClashOptions& options = {},
                              const Device& device = Device::cpu());

/// The relations of parts in the caller's memory. `contacts` is the complete list of their contacts, from
/// Scene::collide over the same parts in the same order.
SIGHTLINE_API Clashes classify(std::span<const MeshView> parts, const Report& contacts,
                               const ClashOptions& options = {});
/// The same relations without a list of contacts, as with `relations_only`.
SIGHTLINE_API Clashes relations(std::span<const MeshView> parts, const ClashOptions& options = {});

}  // namespace sightline
