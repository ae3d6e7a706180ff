// The queries: self-intersections of one mesh, contacts of a scene that changes from frame to frame.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "sightline/contact.h"

namespace sightline {

/// How much of a GPU a query may use.
struct CudaOptions {
  /// At most this many bytes for the buffers of a query; 0: all that is free.
  std::uint64_t memory = 0;
  /// A scene that does not fit is cut into tiles that are answered one after the other, with the same contacts. Without
  /// tiles such a scene throws OutOfDeviceMemory.
  bool tiles = false;
};

/// The memory of a GPU, or the part of it that CudaOptions::memory allows, is too small for the query.
class SIGHTLINE_API OutOfDeviceMemory : public Error {
 public:
  using Error::Error;
};

/// Where a query runs. A missing device is an Error, never a silent fallback.
class Device {
 public:
  enum class Type : std::uint8_t { cpu, cuda };
  static Device cpu() { return Device(Type::cpu); }
  /// GPU `number`, counted from 0 as CUDA counts. Throws an Error that names what is missing: CUDA in this build, any
  /// GPU in this machine, or this number.
  SIGHTLINE_API static Device cuda(int number = 0, const CudaOptions& options = {});
  /// GPU 0 if there is one, else the CPU. No other function chooses a device.
  SIGHTLINE_API static Device best();

  Type type() const { return type_; }
  int number() const { return number_; }
  const CudaOptions& cuda_options() const { return cuda_; }

 private:
  explicit Device(Type type) : type_(type) {}
  Type type_;
  int number_ = 0;
  CudaOptions cuda_;
};
SIGHTLINE_API std::string_view to_string(Device::Type type);

/// A device of this build, and whether this machine has it.
struct DeviceInfo {
  std::string name;     ///< "cpu", "cuda"
  std::string missing;  ///< empty if the device can be used, else what is missing
  /// Facts such as ("gpu", "NVIDIA H200"); empty if the device is missing.
  std::vector<std::pair<std::string, std::string>> facts;
};
/// The CPU, then each GPU; without a usable GPU, one entry for CUDA that names what is missing.
SIGHTLINE_API std::vector<DeviceInfo> devices();

struct Options {
  /// Threads that work, the calling one included. 0: one for each core, or as many as the oneTBB arena of the caller
  /// has; a query of a few thousand triangles then stays on the calling thread (see Stats::threads). With a GPU: the
  /// threads that copy the input to it.
  unsigned threads = 0;
  /// Stop at the first contact. Which contact that is depends on the input only, not on threads or timing; it need not
  /// be the first in canonical order. A GPU finds all contacts and returns the first in canonical order.
  bool first = false;
  /// Keep only this many contacts, the first in canonical order; `Report::found` still counts all.
  std::uint64_t max_contacts = std::numeric_limits<std::uint64_t>::max();
  /// Called from time to time, by one thread at a time, with the fraction done in [0, 1]. Both callbacks run with the
  /// default floating-point settings.
  std::function<void(double)> progress = {};
  /// Called from time to time, by any thread; true ends the query early and sets `Report::cancelled`. A GPU calls it
  /// before and after its work only.
  std::function<bool()> cancel = {};
};

/// All self-intersections of one mesh. Nothing is precomputed, and the CPU does not copy the mesh.
SIGHTLINE_API Report self_intersections(const MeshView& mesh, const Options& options = {},
                                        const Device& device = Device::cpu());
SIGHTLINE_API void self_intersections(const MeshView& mesh, Report& report, const Options& options = {},
                                      const Device& device = Device::cpu());

struct ObjectOptions {
  bool self = false;  ///< also report the object's contacts with itself
  /// Wanted pairs, by bits: contacts of two distinct objects are reported if each is in a group that the other collides
  /// with. The default is all pairs.
  std::uint32_t groups = 1;
  std::uint32_t collides_with = 0xFFFFFFFF;

  friend bool operator==(const ObjectOptions&, const ObjectOptions&) = default;
};
/// True if contacts of two distinct objects with these options are reported.
inline bool wanted(const ObjectOptions& a, const ObjectOptions& b) {
  return (a.groups & b.collides_with) != 0 && (b.groups & a.collides_with) != 0;
}

using ObjectId = std::uint32_t;

/// Objects that move, deform, and gain or lose triangles between frames.
///
/// The scene keeps views. **Call move, place or replace after every change of an object, in each frame, also if you wrote
/// over the same memory.** The contacts are complete and exact for the positions and triangles that were announced by
/// the last of these calls: the memory must stay in place, and its contents must not change, until the next of these
/// calls for that object or its removal.
///
/// A change without such a call breaks this contract, and the list may then be that of the old positions. It is an error
/// that collide reports by throwing Error, in each call until the change is announced, but not always in the first one:
/// on the CPU each collide compares three vertices of each object at rest, and in turn 16 kB of all memory at rest and 64
/// bytes more for each triangle that moved. So it finds at once what moved as a whole, and any other change after as many
/// calls as it takes to read all memory at rest once.
///
/// What rests is not paid for again (on the CPU; a GPU copies only what changed, and tests everything). An object rests
/// after two collides in a row that find it neither moved, placed, replaced nor given other options. For an object at
/// rest, the scene keeps its box and, if it has more than 128 triangles, a tree with about 12 bytes a triangle; it also
/// keeps the contacts among objects at rest. A collide then tests what moved: with itself and with what rests. The
/// contacts are those of a scene that was made for the frame. Working memory is reused from frame to frame.
class SIGHTLINE_API Scene {
 public:
  explicit Scene(const Device& device = Device::cpu());
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  /// Ids count up from 0 and are not reused. After remove(id), every function but mesh(id) throws Error for this id.
  /// `threads`, here and below: the threads that validate the mesh, as in Options::threads.
  ObjectId add(const MeshView& mesh, const ObjectOptions& options = {}, unsigned threads = 0);
  /// New positions; same triangles, same transform. There may be more or fewer positions if all indices stay in range.
  void move(ObjectId object, const Positions& positions, unsigned threads = 0);
  /// Another transform; same positions, same triangles.
  void place(ObjectId object, const Transform& transform, unsigned threads = 0);
  /// New positions, triangles and transform: fracture, remeshing, tearing.
  void replace(ObjectId object, const MeshView& mesh, unsigned threads = 0);
  void remove(ObjectId object);
  void set_options(ObjectId object, const ObjectOptions& options);

  std::size_t size() const;  ///< ids given out so far, removed ones included
  /// The object's current mesh; empty after remove.
  const MeshView& mesh(ObjectId object) const;
  const ObjectOptions& options(ObjectId object) const;
  bool is_removed(ObjectId object) const;
  const Device& device() const;

  /// All contacts of wanted pairs of objects, and of the objects that have `self` with themselves.
  Report collide(const Options& options = {});
  /// All these contacts into `report`: its storage is reused and its contents are replaced.
  void collide(Report& report, const Options& options = {});

 private:
  friend struct SceneAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightline
