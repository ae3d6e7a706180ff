// The scenes that the papers measured, generated: any size, the same bits on every machine (scenes/scenes.h). y is up.
// "About n" means all triangles of the first frame together, within a tenth; 0 takes the size of the paper.
// Where a paper used a scanned body, a function takes a real one instead of ours; it is scaled to the same place.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sightline/papers.h"

namespace sightline::scenes {

using papers::Motion;

struct AnimatedObject {
  Mesh mesh;
  bool self = false;  ///< its contacts with itself count
  /// Per frame. All zero for what rests or deforms.
  Motion motion{};
};

/// An object keeps its index as long as the animation runs; new ones come at the end.
struct AnimationFrame {
  std::vector<AnimatedObject> objects;
};

/// Finds what an animation responds to: the contacts of the scene's objects, in canonical order, and the penetrations
/// of a method that has them. It replaces the contents of `found`. `motions`: by object id, all zero for an object that
/// rests or deforms; or empty.
using Detector = std::function<void(Scene& scene, std::span<const Motion> motions, papers::Report& found)>;

/// Where the body is that a user moves.
struct Placement {
  Vec3d offset{};   ///< from its first place
  Vec3d degrees{};  ///< turned about its centre: about the axis x, then y, then z
};

class Animation {
 public:
  virtual ~Animation() = default;
  /// The current frame; the reference is valid until advance() or steer().
  virtual const AnimationFrame& frame() const = 0;
  /// One step forward.
  virtual void advance() = 0;
  /// From now on the response uses what this detector finds, instead of the exact engine. No effect on an animation
  /// that responds to nothing.
  virtual void drive(Detector detector) = 0;
  /// From now on what is in contact leaves the other object along the normals of their contacts (contact_normals() of depth.h).
  /// No effect on an animation without such a response (Response::normals).
  virtual void use_normals() = 0;
  /// Moves the body to this place at once; from now on it moves only so. No effect on an animation without such a body.
  virtual void steer(const Placement& placement) = 0;
};

/// What the response of a scene needs from the method that drives it.
struct Response {
  bool any = false;        ///< something responds to contacts
  bool self = false;       ///< also to contacts of an object with itself
  bool open = false;       ///< some of the objects are not closed
  bool deforming = false;  ///< some of the objects have no rigid motion
  bool normals = false;    ///< it can use the normals of contacts
};

struct PaperScene {
  std::string_view name, paper, what;
  std::size_t triangles;  ///< of the first frame, by default
  std::size_t frames;     ///< how many are worth running; 1 for static scenes
  std::unique_ptr<Animation> (*make)(std::size_t triangles);
  Response response = {};
  bool steered = false;  ///< has a body that a user can move
};

/// All scenes. A static scene is an animation of one frame that does not change.
std::span<const PaperScene> paper_scenes();
/// Null if no scene has this name.
const PaperScene* find_paper_scene(std::string_view name);

// Bodies (creatures.cpp): one closed component each, outward winding, without contacts of its own.

Mesh bunny_body(std::size_t n);
/// Where the left ear of bunny_body begins to stand free of the head, and its tip.
inline constexpr Vec3d kEarBase{0.42, 1.36, 0.2}, kEarTip{0.3, 2.02, 0.36};
Mesh cow_body(std::size_t n);
Mesh dragon_body(std::size_t n);
Mesh lizard_body(std::size_t n);
Mesh tree_body(std::size_t n);

// Static scenes (deformed.cpp).

/// A closed body with exactly one self-intersecting area: ours has an ear bent into its back, a real one a place
/// where one side is pushed out through the other.
Mesh deformed_body(std::size_t n, const Mesh* body = nullptr);
/// Two interpenetrating cows as one mesh.
Mesh two_cows(std::size_t n);
/// Two interpenetrating objects: bunny, dragon.
std::vector<Mesh> bunny_and_dragon(std::size_t n, const Mesh* bunny = nullptr, const Mesh* dragon = nullptr);
/// How many connected areas the contacts of a mesh with itself form: contacts are joined where they share a triangle
/// or where their triangles share a vertex.
std::size_t contact_areas(const MeshView& mesh, std::span<const Contact> contacts);

// Animations. Where an animation responds to contacts, `threads` is for its queries only and changes no bit.

/// Cloth (self) and table. The papers' scene: the cloth keeps the contacts that folding makes.
std::unique_ptr<Animation> cloth_on_table(std::size_t n = 0, unsigned threads = 1);
/// The same cloth, which also goes back where a step led it through itself or the table. A frame shows the positions
/// that a step leads to, with their contacts; the next frame begins from positions without these contacts. The cloth
/// comes to rest by frame 190 at the latest, and then crosses nothing.
std::unique_ptr<Animation> resting_cloth(std::size_t n = 0, unsigned threads = 1);
/// The falling body, what is left of the broken one, and then its pieces.
std::unique_ptr<Animation> breaking(std::size_t n = 0, unsigned threads = 1, const Mesh* falling = nullptr,
                                    const Mesh* broken = nullptr);
/// The same over a ground (object 2). The pieces fall on it and on each other and come to rest: no frame has a contact
/// among them, the ground and what is left of the body.
std::unique_ptr<Animation> breaking_on_ground(std::size_t n = 0, unsigned threads = 1);
/// Tree, then leaves.
std::unique_ptr<Animation> leaves(std::size_t n = 0, std::size_t count = 300, unsigned threads = 1);
/// Lizard, then balls.
std::unique_ptr<Animation> billiard(std::size_t n = 0, std::size_t balls = 40, unsigned threads = 1);
/// Cloth (self), then what falls on it.
std::unique_ptr<Animation> torn_cloth(std::size_t n = 0, std::size_t falling = 40, unsigned threads = 1);
/// Eleven steps, then balls.
std::unique_ptr<Animation> stairs(std::size_t n = 0, std::size_t balls = 50, unsigned threads = 1);
/// Body, floor, then flakes. Flakes that stuck have no velocity.
std::unique_ptr<Animation> snow(std::size_t n = 0, std::size_t flakes = 1000, unsigned threads = 1,
                                const Mesh* body = nullptr);
/// The same with a body that moves: along a path of its own, until it is steered. Flakes that stuck to it move along.
std::unique_ptr<Animation> moving_body(std::size_t n = 0, std::size_t flakes = 1000, unsigned threads = 1,
                                       const Mesh* body = nullptr);
/// Body, then balls that bounce off it along the normals of its surface. A ball that falls past the body starts again
/// above it.
std::unique_ptr<Animation> bouncing(std::size_t n = 0, std::size_t balls = 30, unsigned threads = 1,
                                    const Mesh* body = nullptr);
/// Two tori in rigid motion, apart at first.
std::unique_ptr<Animation> approaching_tori(std::size_t n = 0);
/// The same tori, which push each other away. A frame shows the places that a step leads to, with their contacts; the
/// next frame begins from the last places without contacts.
std::unique_ptr<Animation> pushing_tori(std::size_t n = 0, unsigned threads = 1);

}  // namespace sightline::scenes
