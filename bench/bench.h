// The contents of the benchmark: scenes, and peers that find their contacts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "input/settings.h"
#include "sightline/assembly.h"

namespace sightline::bench {

struct BenchScene {
  std::string name;
  std::vector<Mesh> objects;
  bool self = false;      ///< contacts of the one object with itself; else contacts between objects
  bool manifold = false;  ///< the one object can be built as a CGAL::Surface_mesh as it stands
  /// Relations of the parts of an assembly: the contacts of the answer are pairs of parts. There are no objects.
  bool relations = false;
  Assembly assembly = {};

  std::size_t size() const { return relations ? assembly.size() : objects.size(); }
  std::uint64_t triangles() const {
    std::uint64_t sum = 0;
    for (const Mesh& mesh : objects) sum += mesh.triangles.size();
    for (const Assembly::Part& part : assembly.parts) sum += assembly.meshes[part.mesh].triangles.size();
    return sum;
  }
};

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual bool takes(const BenchScene& scene) const = 0;
  /// An exact peer's set must equal that of every other exact peer; of others, the difference is counted.
  virtual bool exact() const { return true; }
  /// True if the peer sets `Contact::kind`.
  virtual bool reports_kind() const { return false; }
  /// Contacts: each pair once, in any order. Stats: stages, as far as the peer has any, and milliseconds from the
  /// arrays of the scene to the list of contacts; release is not counted.
  virtual Report run(const BenchScene& scene) = 0;
};

using PeerPtr = std::unique_ptr<Peer>;
PeerPtr make_sightline(Simd simd, unsigned threads);
/// Self: one scene. Between objects: one scene per object, or one for all.
PeerPtr make_embree(unsigned threads, bool scene_per_object);
PeerPtr make_cgal();
PeerPtr make_fcl();
PeerPtr make_bullet();
/// Relations of parts: with the list of contacts, or without.
PeerPtr make_relations(unsigned threads, bool list);
/// Whether parts meet, pair by pair: FCL stops at the first contact.
PeerPtr make_fcl_yes_no();

inline constexpr const char* kSightline = "sightline-";  ///< and the instruction set
inline constexpr const char* kEmbree = "embree";
inline constexpr const char* kEmbreeOneScene = "embree-one-scene";
inline constexpr const char* kCgal = "cgal";
inline constexpr const char* kFclYesNo = "fcl-yes-no";

}  // namespace sightline::bench
