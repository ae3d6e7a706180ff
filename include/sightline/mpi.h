// Meshes, scenes and relations of parts, distributed over the ranks of an MPI program. Library sightline::mpi, which is
// built where CMake finds MPI.
#pragma once

#include <mpi.h>

#include "sightline/huge.h"
#include "sightline/io.h"

namespace sightline::mpi {

/// The triangles that one rank holds, with their numbers in the whole mesh. A number is in one rank only and below
/// 2^63; the order is arbitrary, and a rank may hold none. All ranks use one type of coordinates; the other list is
/// empty.
struct Share {
  std::span<const std::uint64_t> numbers;
  std::span<const CornersF> f32;
  std::span<const CornersD> f64;
};

/// Which rank has the contacts and the degenerate triangles in its report.
enum class ContactsTo : std::uint8_t {
  rank_0,  ///< rank 0 has all of them
  owner,   ///< the rank that holds the (first) triangle; its list is in canonical order
};

struct MpiOptions {
  unsigned threads = 0;                                 ///< of each rank, as Options::threads
  bool intersections = true;                            ///< as HugeOptions::intersections
  std::uint64_t list_memory = std::uint64_t{64} << 20;  ///< bytes for contacts in memory; others are in scratch files
  std::filesystem::path scratch = {};                   ///< as HugeOptions::scratch
  ContactsTo contacts_to = ContactsTo::rank_0;          ///< the same for all ranks
  /// Where this rank answers its leaves. If the GPU of any rank is missing, all ranks throw the Error of that rank.
  Device::Type device = Device::Type::cpu;
  /// Number of the GPU. Negative: rank i of the node (the ranks that share memory, counted from 0 in the order of the
  /// communicator) takes GPU i modulo the number of GPUs that it sees.
  int gpu = -1;
  CudaOptions cuda = {};
};

/// All self-intersections, and the facts about the mesh: the same for every number of ranks and every distribution. All
/// ranks of `comm` call it. Numbers and counts are in the report of each rank, the lists in those of
/// MpiOptions::contacts_to.
///
/// If any rank fails, all ranks throw an Error with one message, which begins with the number of the rank.
SIGHTLINE_API HugeReport self_intersections(MPI_Comm comm, const Share& share, const MpiOptions& options = {});

/// The triangles of a rank that gives them away.
struct OwnedShare {
  std::vector<std::uint64_t> numbers;
  std::vector<CornersF> f32;
  std::vector<CornersD> f64;
};
/// The same with the memory of the share free again as its triangles are sent: a rank never holds them twice.
SIGHTLINE_API HugeReport self_intersections_of_owned(MPI_Comm comm, OwnedShare share, const MpiOptions& options = {});

/// The same of a list that all ranks can read, such as a file: each rank takes a range of it, piece by piece. All ranks
/// have sources of the same triangles.
SIGHTLINE_API HugeReport self_intersections(MPI_Comm comm, TriangleSource& source, const MpiOptions& options = {});

/// The triangles of a file that all ranks read, as sightline::open_triangles; each rank checks its share of the records
/// of a PLY file. All ranks of `comm` call it.
///
/// If any rank fails, all ranks throw an Error with one message, which begins with the number of the rank.
SIGHTLINE_API std::unique_ptr<TriangleSource> open_triangles(MPI_Comm comm, const std::filesystem::path& path,
                                                             const OpenOptions& options = {});

using sightline::PartSource;

/// The relations of all parts: the pairs of sightline::relations over the whole list, for every number of ranks. All
/// ranks of `comm` call it, with sources of the same parts and equal options (but for callbacks and threads), and all
/// get the result. Runs on the CPU. Each rank answers its share of the pairs, and loads the parts of these pairs: the
/// two parts of a pair must fit into its memory. `memory`: bytes of positions and triangles of parts that a rank keeps
/// for later pairs.
///
/// If any rank fails, all ranks throw an Error with one message, which begins with the number of the rank.
SIGHTLINE_API Clashes relations(MPI_Comm comm, PartSource& parts, const ClashOptions& options = {},
                                std::uint64_t memory = std::uint64_t{1} << 30);

/// The triangles of one object of a scene that one rank holds; as Share. `Scalar` is float or double.
template <typename Scalar>
struct ObjectShare {
  using Corners = std::array<std::array<Scalar, 3>, 3>;
  std::span<const std::uint64_t> numbers;
  std::span<const Corners> corners;
};

struct SceneOptions : MpiOptions {
  /// A frame in which ranks wait for each other loses time. Space is cut anew when these losses since the last cut
  /// exceed the time of that cut times `patience`. 0: in each frame, infinity: only when the scene grows to twice its
  /// triangles. No answer depends on it.
  double patience = 1;
};

/// Objects that move, deform, and gain or lose triangles between frames, as sightline::Scene, distributed over ranks.
///
/// All ranks of `comm` make the same calls in the same order, each with the triangles that it holds. Only collide
/// exchanges data, and only it finds bad input: all ranks then throw one Error as self_intersections does, in each call
/// until the input is corrected. The scene keeps views: call move or replace after every change of an object; memory
/// must stay in place, unchanged, until the next of these calls for that object or its removal.
///
/// The cuts of space and the ranks of their pieces are kept from frame to frame, and only the triangles of objects that
/// were changed (on any rank) are sent again. All objects have one type of coordinates.
template <typename Scalar>
class SIGHTLINE_API Scene {
 public:
  using Corners = typename ObjectShare<Scalar>::Corners;

  explicit Scene(MPI_Comm comm, const SceneOptions& options = {});
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  /// Ids count up from 0 and are not reused.
  ObjectId add(const ObjectShare<Scalar>& share, const ObjectOptions& options = {});
  /// New positions of the triangles that this rank holds, in the order of their numbers in the share.
  void move(ObjectId object, std::span<const Corners> corners);
  void replace(ObjectId object, const ObjectShare<Scalar>& share);
  void remove(ObjectId object);
  void set_options(ObjectId object, const ObjectOptions& options);

  /// All contacts of wanted pairs of objects, and of the objects that have `self` with themselves: those of
  /// sightline::Scene over the whole objects. Of the facts, only the number of triangles is set. Stage "distribute"
  /// counts the triangles that were sent, one for each leaf.
  HugeReport collide();

  /// How often space was cut.
  std::uint64_t distributions() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightline::mpi
