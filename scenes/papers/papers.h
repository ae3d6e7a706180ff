// The scenes that the papers measured, generated: any size, the same bits on every machine (scenes/scenes.h). y is up.
// "About n" means all triangles of the first frame together, within a tenth; 0 takes the size of the paper.
// Where a paper used a scanned body, a function takes a real one instead of ours; it is scaled to the same place.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sightline/contact.h"
#include "sightline/mesh.h"
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

class Animation {
 public:
  virtual ~Animation() = default;
  /// The current frame; the reference is valid until advance().
  virtual const AnimationFrame& frame() const = 0;
  /// One step forward.
  virtual void advance() = 0;
};

struct PaperScene {
  std::string_view name, paper, what;
  std::size_t triangles;  ///< of the first frame, by default
  std::size_t frames;     ///< how many are worth running; 1 for static scenes
  std::unique_ptr<Animation> (*make)(std::size_t triangles);
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
/// Two tori in rigid motion, apart at first.
std::unique_ptr<Animation> approaching_tori(std::size_t n = 0);

}  // namespace sightline::scenes
