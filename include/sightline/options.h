// Devices and the options that every query takes.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "sightline/method.h"

namespace sightline {

/// Where a query runs. A device that is not there is an error when it is asked for, never a silent fallback.
class Device {
 public:
  enum class Type : std::uint8_t { cpu, cuda, gl };
  static Device cpu() { return Device(Type::cpu); }
  /// Throws Error that says which is missing: CUDA in this build, or a GPU in this machine.
  static Device cuda();
  /// OpenGL 4.5 through EGL, without a window: for the papers' methods. Throws Error that says what is missing.
  static Device gl();
  /// The one function that chooses: cuda where it can be used, else cpu. Asks the machine once.
  static Device best();
  Type type() const { return type_; }
  friend bool operator==(const Device&, const Device&) = default;

 private:
  explicit Device(Type type) : type_(type) {}
  Type type_;
};
std::string_view to_string(Device device);

/// Instruction sets of the CPU device. `best` takes the widest that this machine runs.
enum class Simd : std::uint8_t { best, scalar, sse4, avx2, avx512 };
std::string_view to_string(Simd simd);
/// True if this machine can run it (`best` and `scalar` always).
bool available(Simd simd);

/// Axis along which the image is projected. `automatic` takes the shortest extent of the scene.
enum class Axis : std::uint8_t { automatic, x, y, z };

/// The visibility cull between objects (src/cull/visibility.h). `automatic` lets an estimate decide.
enum class VisibilityCull : std::uint8_t { automatic, on, off };

/// How the gl device answers a method's queries: all of a pass together, or by one draw and one occlusion query each,
/// as published (to show the difference).
enum class GlQueries : std::uint8_t { batched, each };
std::string_view to_string(GlQueries queries);

/// Whether a scene that does not fit into the memory of a GPU may be cut in tiles that are looked at one after the
/// other.
enum class Tiles : std::uint8_t { never, automatic };

struct Options {
  /// Where self_intersections and clashes run. A Scene has its own device and refuses another one than cpu here; but
  /// one on the cpu takes gl, which keeps no copy of it.
  Device device = Device::cpu();
  /// Threads that work, the calling one included. 0 takes one for each core, or as many as the oneTBB arena has in
  /// which the caller runs; a query of a few thousand triangles then stays on the calling thread (`Stats::threads` has
  /// the number). The cuda device uses them for the copy to the GPU only.
  unsigned threads = 0;
  /// Stop at the first contact. Which one is fixed by the input and the image, not by threads or timing. On the cuda
  /// device it is the first in canonical order, and the others are looked for all the same.
  bool first = false;
  /// Keep only the first this many contacts in canonical order; `Report::found` still counts all.
  std::uint64_t max_contacts = std::numeric_limits<std::uint64_t>::max();
  /// Called now and then, from one thread at a time, with the fraction done in [0, 1]. Both callbacks run with the
  /// default floating-point settings, whatever the caller's are.
  std::function<void(double)> progress = {};
  /// Called now and then, from any thread; returning true ends the query early and sets `Report::cancelled`. The cuda
  /// device asks before and after its work, not within.
  std::function<bool()> cancel = {};
  /// `automatic`: what does not fit on the cuda device at once is processed in tiles, with the same answer. `never`:
  /// OutOfDeviceMemory. The cpu device refuses both this and a limit.
  Tiles tiles = Tiles::never;
  /// At most so many bytes of the GPU's memory for the query's buffers; 0 takes what there is.
  std::uint64_t device_memory = 0;
  /// Who answers: the exact engine, or one of the papers' methods with its own options (sightline/method.h).
  Method method = Method::exact;
  MethodOptions paper = {};

  // The answer does not depend on the following; they are for measuring and for tests. The cuda device has a grid of
  // its own: it takes `cell` and `visibility` and refuses an instruction set and an axis.
  Simd simd = Simd::best;
  Axis axis = Axis::automatic;
  /// Image cell size in mean triangle extents; 0 chooses.
  double cell = 0;
  VisibilityCull visibility = VisibilityCull::automatic;
  /// Only the gl device has a choice here, and only it takes another one than `batched`.
  GlQueries gl_queries = GlQueries::batched;
};

}  // namespace sightline
