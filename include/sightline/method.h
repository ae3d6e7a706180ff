// The papers' methods: which one answers, with what image, and what it tells of itself (docs/methods.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sightline/mesh.h"

namespace sightline {

enum class Method : std::uint8_t {
  exact,          ///< Sightline's own engine: complete and exact, and the judge of all others
  cullide,        ///< Govindaraju, Redon, Lin, Manocha 2003: two-pass visibility, contacts between objects and within
  quick_cullide,  ///< Govindaraju, Lin, Manocha 2005: visibility classes and collision-free sets
  self_cullide,   ///< Boldt, Meyer 2005: self-visibility over a hierarchy
  peel,           ///< Jang, Jeong, Han 2007: alternate surface peeling, pairs of objects
  cinder,         ///< Knott, Pai 2003; Malmsten, Klasén 2005: edges against volumes, closed objects
  velocity,       ///< Vaněček 1993: faces that move away are culled, then another method answers
};
inline constexpr int kMethodCount = 7;
std::string_view to_string(Method method);

/// Pixel centres, as published: can miss contacts, and says so. Or every cell touched, with depth bounds: misses none.
enum class Precision : std::uint8_t { image, conservative };
std::string_view to_string(Precision precision);

enum class DepthBits : std::uint8_t { fixed16, fixed24, fixed32, float32 };
std::string_view to_string(DepthBits bits);

/// Where an image is taken from.
struct View {
  Vec3d direction = {0, 0, -1};  ///< into the image; any length but 0
  double field_of_view = 0;      ///< degrees; 0 is an orthographic view that fits what is drawn
  Vec3d eye = {0, 0, 0};         ///< only with a field of view
};

struct MethodOptions {
  /// Unset: conservative where the method can be, else image.
  std::optional<Precision> precision = {};
  /// Empty: the method's own (docs/methods.md).
  std::vector<View> views = {};
  /// Pixels a side, 1 … 16384. Unset: the method's own. (OpenGL: as far as the driver's largest buffer holds what the
  /// method keeps; cullide and quick-cullide keep nothing.)
  std::optional<unsigned> resolution = {};
  DepthBits depth = DepthBits::fixed24;

  /// Tell which pass dropped which triangle (MethodReport::dropped); takes memory, and changes nothing else.
  bool record_dropped = false;

  // cullide, quick-cullide, self-cullide
  /// Groups of triangles that lie together (self-cullide: are connected), or at random (to show the difference).
  bool random_hierarchy = false;
  /// Whole objects before patches of them, as published, and no sweep over the boxes of objects before: slower, and
  /// about as many leave (of cullide without a limit of rounds, never more).
  bool object_level = false;
  /// At most so many rounds of the views; 0: until nothing more leaves. This is for the last level, triangles; those
  /// above get one round, unless object_level is on.
  unsigned rounds = 0;
  /// Objects are drawn back to front in each view; else in their own order.
  bool back_to_front = true;

  // peel
  /// Layers closer than this are paired, in scene units. Unset: two pixels.
  std::optional<double> epsilon = {};
  /// One id for each triangle instead of one shared by all with the same last vertex.
  bool unique_ids = false;

  // cinder
  /// Stages of the report's lossy mip-map, for comparison; 0 compacts without loss.
  unsigned mip_levels = 0;
  /// Remove self-interferences after they took a pixel, as published, instead of preventing them.
  bool filter_self = false;
  /// Only the first collision of each pixel, as published.
  bool one_per_pixel = false;

  // velocity
  /// Who answers for the faces that are left.
  Method then = Method::exact;
  /// Cull with bounding spheres, too.
  bool bounding_spheres = true;
  /// A face goes only if it cannot be the first to be hit from now until this much later; 0 is now, as published.
  double time_step = 0;
};

/// Rigid motion of an object: its centre, the centre's velocity, and the angular velocity about it.
struct Motion {
  Vec3d center = {0, 0, 0}, velocity = {0, 0, 0}, angular_velocity = {0, 0, 0};
};

/// One pass of a method over the image.
struct Pass {
  std::string_view level;                       ///< "object", "sub-object", "triangle", "boxes", …: a string literal
  Vec3d direction = {0, 0, 0};                  ///< of the view
  std::uint32_t iteration = 0;                  ///< of passes with this view at this level
  std::uint64_t pcs_before = 0, pcs_after = 0;  ///< triangles in the potentially colliding set
  std::uint64_t elements_before = 0, elements_after = 0;  ///< its elements: objects, groups or triangles
  std::uint64_t renders = 0, queries = 0, triangles = 0, fragments = 0;
  double milliseconds = 0;
};

/// cinder: an edge of one object inside the volume of another.
struct Penetration {
  std::uint32_t object_a = 0;  ///< the penetrating one
  std::uint32_t a = 0;         ///< its triangle that has the edge
  std::uint32_t object_b = 0;  ///< the penetrated one
  Vec3d normal = {0, 0, 0};    ///< of triangle a, unit length

  friend bool operator==(const Penetration&, const Penetration&) = default;
};

/// A triangle of an object.
struct TriangleRef {
  std::uint32_t object = 0, triangle = 0;
  friend auto operator<=>(const TriangleRef&, const TriangleRef&) = default;
};

/// A triangle that left the potentially colliding set, and the pass in which it did.
struct Dropped {
  std::uint32_t pass = 0;  ///< number of MethodReport::passes
  TriangleRef triangle;
  friend auto operator<=>(const Dropped&, const Dropped&) = default;
};

/// How a report was found.
struct MethodReport {
  Method method = Method::exact;
  Precision precision = Precision::conservative;
  bool can_miss = false;  ///< the list of contacts may lack some; none is ever false
  unsigned resolution = 0;
  std::vector<Pass> passes;
  std::vector<TriangleRef> pcs;           ///< what the passes left to the exact test, sorted
  std::vector<Dropped> dropped;           ///< only if asked for; sorted by pass; not told by peel and cinder
  std::uint64_t pairs_tested = 0;         ///< by the exact test
  std::vector<Penetration> penetrations;  ///< cinder: sorted by (object_a, object_b, a)
  std::uint64_t self_interferences = 0;   ///< cinder: fragments prevented or filtered
  std::uint64_t lost = 0;                 ///< cinder: collisions that mip-mapping overwrote
  std::uint64_t culled = 0;               ///< velocity: triangles dropped
};

}  // namespace sightline
