// Self-intersections of a mesh, and contacts of parts, that do not fit into memory: the same answers as those of
// query.h and topology(mesh) of mesh.h, out of core. Library sightline::scale.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "sightline/assembly.h"
#include "sightline/source.h"

namespace sightline {

struct HugeOptions {
  /// Bytes for all buffers; at least 16 MiB. Triangles that meet at one place, so that no cut divides them, and do not
  /// fit are an Error. The program itself, the stacks of its threads and the buffers of the source come on top.
  std::uint64_t memory = std::uint64_t{1} << 30;
  /// The folder of scratch files; empty: the system's. No name leads to these files, and they vanish with the process.
  std::filesystem::path scratch = {};
  unsigned threads = 0;  ///< as Options::threads
  /// Where leaves are answered; all else runs on the CPU. The limit does not cover the memory of the GPU.
  Device device = Device::cpu();
  bool intersections = true;  ///< also the points of each contact; otherwise HugeContact::geometry is empty
  /// As in Options; the cancel is polled by any thread.
  std::function<void(double)> progress = {};
  std::function<bool()> cancel = {};
};

/// Triangles `a` < `b` are in contact. The numbers are those of the source. Of several parts or objects:
/// triangle `a` of one of them and `b` of another, in the order of Contact.
struct HugeContact {
  std::uint32_t object_a = 0, object_b = 0;
  std::uint64_t a = 0, b = 0;
  Kind kind = Kind::touching;
  Intersection geometry;
};

/// The numbers of Topology.
struct HugeFacts {
  std::uint64_t triangles = 0, vertices = 0, components = 0;
  std::uint64_t open_edges = 0, nonmanifold_edges = 0, duplicates = 0, degenerate = 0;
  bool closed() const { return degenerate < triangles && open_edges == 0; }
};

/// The answer. Its lists lie in the scratch folder, and are read from there each time.
class SIGHTLINE_API HugeReport {
 public:
  HugeFacts facts;
  std::uint64_t found = 0;  ///< contacts
  std::uint64_t counts[kKindCount] = {};
  bool cancelled = false;  ///< then nothing else has a meaning
  Stats stats;
  std::uint64_t leaves = 0;         ///< pieces that were answered one after the other
  std::uint64_t records = 0;        ///< triangles in them; those of several leaves count several times
  std::uint64_t scratch_bytes = 0;  ///< the most that was held on the disk at a time

  /// Calls visit(contact) in canonical order, until it returns false.
  void for_contacts(const std::function<bool(const HugeContact&)>& visit) const;
  /// The same for the triangles without area, ascending.
  void for_degenerate(const std::function<bool(std::uint64_t)>& visit) const;

  struct Lists;
  std::shared_ptr<const Lists> lists;  ///< of the library
};

/// All self-intersections, and the facts about the mesh. Throws the Errors of the source; for a folder or a disk that
/// cannot take the scratch data, one that names the folder and the reason.
SIGHTLINE_API HugeReport self_intersections(TriangleSource& source, const HugeOptions& options = {});

/// A part of a scene that does not fit into memory.
struct HugePart {
  TriangleSource* source = nullptr;
  ObjectOptions options = {};
};

/// All contacts of wanted pairs of parts, and of the parts that have `self` with themselves: those of a Scene with
/// these objects. Parts may have different types of coordinates. Of the facts, only the number of triangles is set.
/// Throws as above.
SIGHTLINE_API HugeReport contacts(std::span<const HugePart> parts, const HugeOptions& options = {});

/// The parts of an assembly, each of which is loaded when it is needed.
class PartSource {
 public:
  PartSource() = default;
  PartSource(const PartSource&) = delete;
  PartSource& operator=(const PartSource&) = delete;
  virtual ~PartSource() = default;

  virtual std::size_t size() const = 0;
  /// How messages about the part begin.
  virtual std::string name(std::size_t part) const { return "part " + std::to_string(part); }
  /// The mesh stays in memory until release(part). Throws Error for a part that cannot be loaded.
  virtual MeshView load(std::size_t part) = 0;
  virtual void release(std::size_t) {}
};

/// The relations of parts that do not fit into memory together, pair after pair: those of sightline::relations. The two
/// parts of a pair must fit. `memory`: bytes of positions and triangles of parts that are kept for later pairs.
SIGHTLINE_API Clashes relations(PartSource& parts, const ClashOptions& options = {},
                                std::uint64_t memory = std::uint64_t{1} << 30);
/// The same with the numbers of contacts: those of sightline::classify. `contacts` is the complete list, from
/// contacts() over the same parts in the same order. Pairs whose relation the list alone proves are not loaded, and the
/// contacts of one pair are in memory at a time.
SIGHTLINE_API Clashes classify(PartSource& parts, const HugeReport& contacts, const ClashOptions& options = {},
                               std::uint64_t memory = std::uint64_t{1} << 30);

}  // namespace sightline
