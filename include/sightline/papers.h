// The papers' methods, each as a struct of its options (docs/methods.md). Library sightline::papers.
//
//   sightline::papers::Report report = sightline::papers::run(scene, sightline::papers::QuickCullide{});
#pragma once

#include <optional>

#include "sightline/query.h"

namespace sightline::papers {

// Each method has a preset, `as_published()`: what its paper does, and nothing of ours.

/// `image` samples pixel centres, as published, and can miss contacts; the report states this. `conservative` covers
/// every pixel that a triangle touches, with bounds of its depth, and misses none.
enum class Precision : std::uint8_t { image, conservative };
SIGHTLINE_API std::string_view to_string(Precision precision);

enum class DepthBits : std::uint8_t { fixed16, fixed24, fixed32, float32 };
SIGHTLINE_API std::string_view to_string(DepthBits bits);

/// The camera of an image.
struct View {
  Vec3d direction = {0, 0, -1};  ///< into the image; any length but 0
  double field_of_view = 0;      ///< degrees; 0: an orthographic view that fits what is drawn
  Vec3d eye = {0, 0, 0};         ///< only with a field of view
};

/// The images of a method: sampling, views and resolution.
struct Images {
  /// Unset: conservative if the method has it, else image.
  std::optional<Precision> precision = {};
  /// Empty: the method's own views (docs/methods.md).
  std::vector<View> views = {};
  /// Pixels a side, 1 … 16384. Unset: the method's own.
  std::optional<unsigned> resolution = {};
  DepthBits depth = DepthBits::fixed24;
  /// Record which pass dropped which triangle (MethodReport::dropped). The record takes memory and changes nothing
  /// else.
  bool record_dropped = false;
};

/// The potentially colliding set of CULLIDE and its successors.
struct Pruning {
  /// Groups of random triangles instead of triangles that lie together, to show the difference.
  bool random_hierarchy = false;
  /// Whole objects before patches of them, as published, and no sweep over the boxes of objects first. This is slower,
  /// and about as many triangles leave the set.
  bool object_level = false;
  /// Patches of up to 64 triangles before single triangles; without object_level, a sweep over the boxes of objects
  /// before those. Off, as published: the parts of an object are its triangles, and without object_level they come
  /// first.
  bool patches = true;
  /// At most this many rounds of the views at the level of triangles; 0: until nothing leaves the set. The levels above
  /// get one round, unless object_level is on.
  unsigned rounds = 0;
  /// Objects are drawn back to front in each view instead of in their own order.
  bool back_to_front = true;
};

/// Govindaraju, Redon, Lin, Manocha 2003: two passes of visibility queries.
struct Cullide {
  Images images = {};
  Pruning pruning = {};
  /// Image precision, 4096 pixels a side, views along the three axes; whole objects, then their triangles; one round of
  /// the views at each level, back to front.
  SIGHTLINE_API static Cullide as_published();
};
/// Govindaraju, Lin, Manocha 2005: visibility classes and collision-free sets.
struct QuickCullide {
  Images images = {};
  Pruning pruning = {};
  /// The same as Cullide::as_published(), with the classes; after the images of objects, a sweep over their boxes.
  SIGHTLINE_API static QuickCullide as_published();
};
/// Boldt, Meyer 2005: self-visibility over a hierarchy of connected triangles.
struct SelfCullide {
  Images images = {};
  bool random_hierarchy = false;  ///< groups of random triangles, to show the difference
  // What this library adds to the paper:
  /// A call that is expected to cost more than it spares is left out, and pruning ends when all calls would be. Off:
  /// every call is made, and pruning ends when a pass over the leaves (conservative: over the patches) removes nothing.
  bool hand_over = true;
  bool pixel_leaves = true;   ///< a node of a few pixels is a leaf; off: leaves are single triangles
  bool protect_steep = true;  ///< a triangle that is too steep for a view does not leave in it
  /// Directions in which most of what is left faces the viewer; off: both ways along the three axes.
  bool choose_views = true;
  /// Image precision, and nothing of the above.
  SIGHTLINE_API static SelfCullide as_published();
};
/// Jang, Jeong, Han 2007: alternate surface peeling of pairs of objects. An object with `self` is peeled as halves.
struct Peel {
  Images images = {};
  /// Layers closer than this are paired, in scene units. Unset: twice the mean extent of a region's triangles in image
  /// precision, 0 in conservative precision.
  std::optional<double> epsilon = {};
  /// One id for each triangle instead of one id for several triangles around a vertex.
  bool unique_ids = false;
  /// The vertex of an id is chosen so that the id covers many triangles; off: the last vertex, as published.
  bool greedy_ids = true;
  /// Each region is peeled twice, once from each object; off: from the farther one only, as published.
  bool from_both = true;
  /// Objects that do not deform. Pairs of two of these are not peeled: the exact engine finds their contacts.
  std::vector<ObjectId> rigid = {};
  /// Image precision, one view along -z, from the farther object, ids by last vertex, epsilon unset.
  SIGHTLINE_API static Peel as_published();
};
/// Knott, Pai 2003; Malmsten, Klasén 2005: edges against the volumes of closed objects.
struct Cinder {
  Images images = {};
  /// With one_per_pixel: stages of the published, lossy mip-map; 0 reads back all pixels with a collision.
  unsigned mip_levels = 0;
  /// With one_per_pixel: remove self-interferences after they occupied a pixel, as published, instead of preventing
  /// them.
  bool filter_self = false;
  /// The published passes over all objects: one collision a pixel, that of the edge and of the object drawn last.
  /// Without it, one pass over all faces finds every collision of every pixel.
  bool one_per_pixel = false;
  /// With one_per_pixel: edges are drawn this far out of their solid, in scene units, along the normal of each triangle
  /// (section 4.3.1.1 of the paper): fewer self-interferences, but collisions that are missed or not there.
  double edge_offset = 0;
  /// A number of the application's own for each object, by object id; 0 for an object without an entry. A penetration
  /// has those of both objects.
  std::vector<std::int64_t> payloads = {};
  /// One collision a pixel, self-interferences filtered afterwards, two stages of the lossy mip-map. (The paper leaves
  /// the view, the resolution and the number of stages to the application.)
  SIGHTLINE_API static Cinder as_published();
};

/// Rigid motion of an object: its centre, the centre's velocity, and the angular velocity about it.
struct Motion {
  Vec3d center = {0, 0, 0}, velocity = {0, 0, 0}, angular_velocity = {0, 0, 0};
};
/// Sightline's own engine, as the method that follows velocity culling.
struct Exact {};
/// Vaněček 1993: faces that move away are culled, then another method finds the contacts of the rest.
struct Velocity {
  /// By object id; each object needs one.
  std::vector<std::optional<Motion>> motions = {};
  /// Also cull with bounding spheres of the objects, and faces that are away from all faces of the other objects.
  bool bounding_spheres = true;
  /// Each face is tested on its own, as published, instead of many at once. This is slower and changes nothing else.
  bool face_by_face = false;
  /// A face is culled only if it cannot be the first to be hit within this time; 0: at this instant, as published.
  double time_step = 0;
  /// Not Cinder: without the faces that move away, no object is closed in any view.
  std::variant<Exact, Cullide, QuickCullide, SelfCullide, Peel> then = {};
  /// Culls at this instant, face by face, by at most eight points that bound the face, without bounding spheres.
  SIGHTLINE_API static Velocity as_published();
};

using Method = std::variant<Cullide, QuickCullide, SelfCullide, Peel, Cinder, Velocity>;

enum class MethodName : std::uint8_t { exact, cullide, quick_cullide, self_cullide, peel, cinder, velocity };
inline constexpr int kMethodCount = 7;
SIGHTLINE_API std::string_view to_string(MethodName method);

/// How the OpenGL renderer runs the visibility queries of a pass: all together, or one draw and one occlusion query
/// each, as published.
enum class GlQueries : std::uint8_t { batched, each };
SIGHTLINE_API std::string_view to_string(GlQueries queries);

/// The renderer of the images. A missing renderer is an Error, never a silent fallback.
class Renderer {
 public:
  enum class Type : std::uint8_t { cpu, gl };
  static Renderer cpu() { return Renderer(Type::cpu, GlQueries::batched); }
  /// OpenGL 4.5 through EGL, without a window. Throws Error that names what is missing.
  SIGHTLINE_API static Renderer gl(GlQueries queries = GlQueries::batched);

  Type type() const { return type_; }
  GlQueries queries() const { return queries_; }
  friend bool operator==(const Renderer&, const Renderer&) = default;

 private:
  Renderer(Type type, GlQueries queries) : type_(type), queries_(queries) {}
  Type type_;
  GlQueries queries_;
};
/// The OpenGL renderer of this build and machine, as sightline::devices() describes a device.
SIGHTLINE_API DeviceInfo gl_info();

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

/// Cinder: an edge of one object inside the volume of another. Pairs of objects that ObjectOptions::groups and
/// collides_with exclude are not looked for.
struct Penetration {
  std::uint32_t object_a = 0;  ///< the penetrating object
  std::uint32_t a = 0;         ///< its triangle that has the edge
  std::uint32_t object_b = 0;  ///< the penetrated object
  Vec3d normal = {0, 0, 0};    ///< of triangle a, unit length
  Vec3d position = {0, 0, 0};  ///< a point of the edge inside object_b, to within a pixel and a step of depth
  std::int64_t payload_a = 0, payload_b = 0;  ///< Cinder::payloads of both objects

  friend bool operator==(const Penetration&, const Penetration&) = default;
};

/// A triangle of an object.
struct TriangleRef {
  std::uint32_t object = 0, triangle = 0;
  friend auto operator<=>(const TriangleRef&, const TriangleRef&) = default;
};

/// A triangle that left the potentially colliding set, and the pass that dropped it.
struct Dropped {
  std::uint32_t pass = 0;  ///< number of MethodReport::passes
  TriangleRef triangle;
  friend auto operator<=>(const Dropped&, const Dropped&) = default;
};

/// How a method found its contacts.
struct MethodReport {
  MethodName method = MethodName::exact;
  Precision precision = Precision::conservative;
  Renderer::Type renderer = Renderer::Type::cpu;
  bool can_miss = false;  ///< the list of contacts may be incomplete; none is ever false
  unsigned resolution = 0;
  std::vector<Pass> passes;
  std::vector<TriangleRef> pcs;           ///< triangles that the passes left to the exact test, sorted
  std::vector<Dropped> dropped;           ///< sorted by pass; empty for Peel and Cinder
  std::uint64_t pairs_tested = 0;         ///< by the exact test
  std::vector<Penetration> penetrations;  ///< Cinder: sorted by (object_a, object_b, a)
  std::uint64_t self_interferences = 0;   ///< Cinder: fragments prevented or filtered
  std::uint64_t lost = 0;                 ///< Cinder: collisions that mip-mapping overwrote
  /// Cinder: samples of edges near an object for which the object is open, so that nothing is decided: on the line of
  /// sight through the sample, its faces do not lead out of it as often as into it.
  std::uint64_t unbalanced = 0;
  std::uint64_t culled = 0;  ///< Velocity: triangles dropped
};

/// The contacts that a method found, and how it found them.
struct Report : sightline::Report {
  MethodReport method;
};

/// The contacts of the scene's objects, found by the method. The device of the scene must be the CPU, or for Velocity
/// before Exact a GPU: then faces are culled there, too. (CudaOptions are refused.)
SIGHTLINE_API Report run(Scene& scene, const Method& method, const Options& options = {},
                         const Renderer& renderer = Renderer::cpu());

/// Frames of a scene that changes. A session keeps what the next frame can use again. A session can take frames of
/// several scenes in turn.
/// - Velocity: the topology, the winding and the faces of each object, on a GPU also there, and working memory. They
///   are computed again only if triangles change or a body deforms, not while Scene::place or a rigid Scene::move
///   moves it.
/// - Cullide and QuickCullide, in conservative precision and without a limit of rounds: how many triangles a frame
///   left. Most frames end pruning where hardly more are left.
///
/// The contacts are those of papers::run, with one difference: a body that a rigid Scene::move moved keeps its faces,
/// and papers::run finds them again in rounded positions. So Velocity may drop other faces, and none that is hit first.
/// Passes and sets (MethodReport) are those of the session.
///
/// A change in the caller's memory is seen after the next move or replace of the object.
class SIGHTLINE_API Session {
 public:
  Session();
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  Report run(Scene& scene, const Method& method, const Options& options = {},
             const Renderer& renderer = Renderer::cpu());

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The contacts of one mesh with itself, found by the method.
SIGHTLINE_API Report run(const MeshView& mesh, const Method& method, const Options& options = {},
                         const Renderer& renderer = Renderer::cpu());

}  // namespace sightline::papers
