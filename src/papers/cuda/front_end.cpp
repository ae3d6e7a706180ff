// A frame: arrays that changed, then transforms and tests go to the device; vertices are placed, faces marked, and the
// triangles of faces that stay are listed; the host reads how many these are of each object, and the engine
// (sightline/cuda.h) takes them from the device; its contacts get their numbers back.
#include "cuda/front_end.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/format.h"
#include "cuda/check.h"
#include "cuda/cull.h"
#include "cuda/current.h"
#include "input/watch.h"
#include "sightline/cuda.h"

namespace sightline::papers::cuda {
namespace {

using sightline::cuda::DeviceBuffer;
using sightline::cuda::HomeDevice;
using sightline::cuda::MemoryCount;

/// Arrays that travel together: a piece of host memory, then the same bytes on the device.
class Parcel {
 public:
  explicit Parcel(MemoryCount& memory) : device_(memory) {}

  void clear() { host_.clear(); }
  /// Where the array begins, in bytes.
  template <typename Item>
  std::size_t add(std::span<const Item> items) {
    static_assert(std::is_trivially_copyable_v<Item>);
    const std::size_t at = (host_.size() + kAlignment - 1) / kAlignment * kAlignment;
    host_.resize(at + items.size_bytes());
    if (!items.empty()) std::memcpy(host_.data() + at, items.data(), items.size_bytes());
    return at;
  }
  /// Returns the number of bytes. They have been read when this returns: the host's memory is pageable.
  std::size_t send(cudaStream_t stream) {
    device_.reserve(host_.size());
    SIGHTLINE_CUDA(cudaMemcpyAsync(device_.data(), host_.data(), host_.size(), cudaMemcpyHostToDevice, stream));
    return host_.size();
  }
  /// Frees the host's memory; the device keeps its own.
  void drop_host() { host_ = {}; }
  /// The array that begins at `at`.
  template <typename Item>
  const Item* on_device(std::size_t at) const {
    return reinterpret_cast<const Item*>(device_.data() + at);
  }

 private:
  static constexpr std::size_t kAlignment = 16;
  std::vector<std::byte> host_;
  DeviceBuffer<std::byte> device_;
};

/// An object's faces, triangles and stored points on the device.
class KeptObject {
 public:
  explicit KeptObject(MemoryCount& memory) : faces_(memory), stored_(memory) {}

  /// Sends what changed; returns how many bytes.
  std::size_t update(const TriangleTable::Object& object, const MovingObject& given, cudaStream_t stream) {
    std::size_t bytes = 0;
    if (view_.blocks == nullptr) bytes += send_faces(object, given.faces, stream);
    if (stored_version_ == 0 || stored_version_ != given.stored_version) {
      bytes += send_stored(object, stream);
      stored_version_ = given.stored_version;
    }
    view_.is_placed = object.transform != nullptr;
    if (view_.is_placed) view_.transform = *object.transform;
    return bytes;
  }
  const moving::FaceView& view() const { return view_; }
  /// Per triangle; null if each face is one triangle.
  const std::uint32_t* face_of() const { return face_of_; }

 private:
  std::size_t send_faces(const TriangleTable::Object& object, const moving::FaceArrays& faces, cudaStream_t stream) {
    faces_.clear();
    const std::size_t blocks = faces_.add(faces.blocks), ranges = faces_.add(faces.ranges);
    const std::size_t cells = faces_.add(faces.cells);
    const std::size_t triangles = faces_.add(std::span(object.triangles, object.triangle_count));
    const std::size_t outward = faces_.add(faces.outward), face_of = faces_.add(faces.face_of);
    const std::size_t polygon_of = faces_.add(faces.polygon_of), begin = faces_.add(faces.begin);
    const std::size_t members = faces_.add(faces.members), polygons = faces_.add(faces.polygons);
    const std::size_t f32 = faces_.add(faces.own_f32), f64 = faces_.add(faces.own_f64);
    const std::size_t bytes = faces_.send(stream);
    faces_.drop_host();
    view_.ranges = faces_.on_device<moving::FaceRange>(ranges);
    if (!faces.cells.empty()) view_.cells = faces_.on_device<std::uint32_t>(cells);
    view_.triangles = faces_.on_device<Triangle>(triangles);
    view_.outward = faces_.on_device<std::int8_t>(outward);
    if (!faces.face_of.empty()) {
      face_of_ = faces_.on_device<std::uint32_t>(face_of);
      view_.polygon_of = faces_.on_device<std::uint32_t>(polygon_of);
      view_.begin = faces_.on_device<std::uint32_t>(begin);
      view_.members = faces_.on_device<std::uint32_t>(members);
      view_.polygons = faces_.on_device<moving::Polygon>(polygons);
    }
    if (faces.own_f64.empty())
      view_.own_f32 = faces_.on_device<Vec3f>(f32);
    else
      view_.own_f64 = faces_.on_device<Vec3d>(f64);
    view_.blocks = faces_.on_device<moving::FaceBlock>(blocks);  // from here on they are there
    return bytes;
  }
  std::size_t send_stored(const TriangleTable::Object& object, cudaStream_t stream) {
    stored_version_ = 0;  // until the copy is complete
    const bool wide = object.f64 != nullptr;
    const void* const from = wide ? static_cast<const void*>(object.f64) : object.f32;
    const std::size_t bytes = object.vertex_count * (wide ? sizeof(Vec3d) : sizeof(Vec3f));
    SIGHTLINE_CUDA(cudaMemcpyAsync(stored_.reserve(bytes), from, bytes, cudaMemcpyHostToDevice, stream));
    view_.f32 = wide ? nullptr : reinterpret_cast<const Vec3f*>(stored_.data());
    view_.f64 = wide ? reinterpret_cast<const Vec3d*>(stored_.data()) : nullptr;
    return bytes;
  }

  Parcel faces_;
  DeviceBuffer<std::byte> stored_;
  moving::FaceView view_;
  const std::uint32_t* face_of_ = nullptr;
  std::uint64_t stored_version_ = 0;
};

}  // namespace

struct FrontEnd::Impl {
  explicit Impl(int number) : home(number) {}

  /// What the last `cull` left.
  struct Result {
    Frame frame;
    bool wide = false;  ///< positions are double
    const std::uint8_t* stays = nullptr;
    std::vector<std::uint32_t> begin;    ///< per object and one more, in the list
    std::vector<ObjectOptions> options;  ///< per object
    std::uint32_t total() const { return begin.empty() ? 0 : begin.back(); }
  };

  HomeDevice home;
  sightline::cuda::Stream stream;
  MemoryCount memory;
  sightline::cuda::Query query;
  std::unordered_map<std::uint64_t, std::unique_ptr<KeptObject>> kept;  ///< by the number of the faces
  std::uint64_t bytes_kept = 0;
  Parcel sent{memory};  ///< of the frame
  DeviceBuffer<float> f32{memory};
  DeviceBuffer<double> f64{memory};
  DeviceBuffer<std::uint8_t> stays{memory}, flags{memory}, scratch{memory};
  DeviceBuffer<std::uint32_t> list{memory}, count{memory}, begin{memory}, triangles{memory};
  DeviceBuffer<Contact> contacts{memory};
  Result result;

  /// Brings the objects up to date, and forgets those that are not in the table.
  Frame send(const TriangleTable& table, std::span<const MovingObject> objects) {
    auto before = std::exchange(kept, {});
    std::vector<Place> places;
    std::vector<DeviceObject> on_device;
    std::vector<moving::PairTest> tests;
    std::vector<const std::uint32_t*> cells;
    std::uint64_t blocks = 0;
    for (std::size_t i = 0; i < table.objects.size(); ++i) {
      const TriangleTable::Object& object = table.objects[i];
      const MovingObject& given = objects[i];
      std::unique_ptr<KeptObject>& own = kept[given.faces_number];
      if (own == nullptr) {
        if (const auto at = before.find(given.faces_number); at != before.end())
          own = std::move(at->second);
        else
          own = std::make_unique<KeptObject>(memory);
      }
      bytes_kept += own->update(object, given, stream);
      places.push_back({static_cast<std::uint32_t>(blocks), object.first_triangle,
                        static_cast<std::uint32_t>(object.first_vertex), object.id});
      on_device.push_back({*given.body, own->view(), own->face_of(), given.face_count,
                           static_cast<std::uint32_t>(tests.size()), static_cast<std::uint32_t>(given.tests.size()),
                           given.two_sided});
      tests.insert(tests.end(), given.tests.begin(), given.tests.end());
      cells.push_back(own->view().cells);
      blocks += given.faces.ranges.size();
    }
    sent.clear();
    const std::size_t at_places = sent.add(std::span<const Place>(places));
    const std::size_t at_objects = sent.add(std::span<const DeviceObject>(on_device));
    const std::size_t at_tests = sent.add(std::span<const moving::PairTest>(tests));
    const std::size_t at_cells = sent.add(std::span<const std::uint32_t* const>(cells));
    sent.send(stream);
    Frame frame;
    frame.places = sent.on_device<Place>(at_places);
    frame.objects = sent.on_device<DeviceObject>(at_objects);
    frame.tests = sent.on_device<moving::PairTest>(at_tests);
    frame.cells = sent.on_device<const std::uint32_t*>(at_cells);
    frame.object_count = static_cast<std::uint32_t>(places.size());
    frame.block_count = static_cast<std::uint32_t>(blocks);
    frame.triangle_count = table.triangle_count;
    frame.vertex_count = static_cast<std::uint32_t>(table.vertex_count);
    return frame;
  }

  std::uint64_t cull(const TriangleTable& table, std::span<const MovingObject> objects) {
    result = {};
    if (table.objects.empty()) return 0;
    constexpr std::uint64_t kMostVertices = 0xFFFFFFFF, kMostTriangles = 0x7FFFFFFF;
    if (table.vertex_count > kMostVertices || table.triangle_count > kMostTriangles)
      throw Error(
          formatted("cuda: {} vertices and {} triangles in all; at most {} and {} can be numbered on this device",
                    table.vertex_count, table.triangle_count, kMostVertices, kMostTriangles));
    Result now;
    now.wide = !table.all_f32;
    const Frame& frame = now.frame = send(table, objects);
    const std::size_t coordinates = std::size_t{3} * frame.vertex_count;
    place_vertices(frame, now.wide ? nullptr : f32.reserve(coordinates), now.wide ? f64.reserve(coordinates) : nullptr,
                   stream);
    now.stays = stays.reserve(frame.triangle_count);
    mark_faces(frame, stays.data(), stream);
    const std::uint8_t* of_triangles = now.stays;
    if (std::any_of(objects.begin(), objects.end(), [](const MovingObject& o) { return !o.faces.face_of.empty(); })) {
      of_triangles = flags.reserve(frame.triangle_count);
      spread_to_triangles(frame, now.stays, flags.data(), stream);
    }
    list.reserve(frame.triangle_count);
    count.reserve(1);
    begin.reserve(std::size_t{frame.object_count} + 1);
    scratch.reserve(list_bytes(frame.triangle_count));
    list_triangles(frame, of_triangles, scratch.data(), scratch.capacity(), list.data(), count.data(), stream);
    find_begins(frame, list.data(), count.data(), begin.data(), stream);
    now.begin.resize(std::size_t{frame.object_count} + 1);
    SIGHTLINE_CUDA(cudaMemcpyAsync(now.begin.data(), begin.data(), now.begin.size() * sizeof(std::uint32_t),
                                   cudaMemcpyDeviceToHost, stream));
    SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
    for (const TriangleTable::Object& object : table.objects) now.options.push_back(object.options);
    result = std::move(now);
    return result.total();
  }

  void find(const Settings& options, Report& report) {
    const auto start = std::chrono::steady_clock::now();
    const auto stopped = [&options] { return options.cancel && options.cancel(); };
    if (stopped()) return finish_report(report, options, 0, true);
    const Frame& frame = result.frame;
    const std::uint32_t total = result.total();
    sightline::cuda::Triangles all;
    std::vector<sightline::cuda::ObjectRun> runs;
    if (total > 0) {
      gather_triangles(frame, list.data(), total, triangles.reserve(std::size_t{3} * total), stream);
      if (result.wide)
        all.f64 = f64.data();
      else
        all.f32 = f32.data();
      all.vertex_count = frame.vertex_count;
      all.triangles = triangles.data();
      all.triangle_count = total;
      for (std::size_t i = 0; i < result.options.size(); ++i)
        runs.push_back({result.begin[i + 1] - result.begin[i], result.options[i]});
      all.objects = runs;
    }
    const sightline::cuda::DeviceContacts found =
        query.run(all, {.stream = static_cast<cudaStream_t>(stream), .validate = false, .stages = options.stages});
    report.stats = found.stats;
    report.stats.peak_bytes += memory.peak;
    if (stopped()) return finish_report(report, options, 0, true);
    StageClock clock(report.stats);
    const auto kept_count = static_cast<std::uint32_t>(std::min<std::uint64_t>(found.count, most_contacts(options)));
    report.contacts.resize(kept_count);
    if (kept_count > 0) {
      restore_numbers(frame, list.data(), begin.data(), found.contacts, kept_count, contacts.reserve(kept_count),
                      stream);
      SIGHTLINE_CUDA(cudaMemcpyAsync(report.contacts.data(), contacts.data(), kept_count * sizeof(Contact),
                                     cudaMemcpyDeviceToHost, stream));
      SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
    }
    clock.stage("download", kept_count, "contacts");
    if (options.progress) options.progress(1.0);
    finish_report(report, options, found.count, false);
    report.stats.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
};

FrontEnd::FrontEnd(const Device& device) {
  const HomeDevice home(device.number());
  const HomeDevice::Visit visit(home);  // streams and queries belong to the device that is current
  impl_ = std::make_unique<Impl>(device.number());
}
FrontEnd::~FrontEnd() = default;

std::uint64_t FrontEnd::cull(const TriangleTable& table, std::span<const MovingObject> objects) {
  const HomeDevice::Visit visit(impl_->home);
  return impl_->cull(table, objects);
}

void FrontEnd::fetch_stays(std::uint8_t* to) {
  const HomeDevice::Visit visit(impl_->home);
  const Impl::Result& result = impl_->result;
  if (result.stays == nullptr) return;
  SIGHTLINE_CUDA(cudaMemcpyAsync(to, result.stays, result.frame.triangle_count, cudaMemcpyDeviceToHost, impl_->stream));
  SIGHTLINE_CUDA(cudaStreamSynchronize(impl_->stream));
}

void FrontEnd::find(const Settings& options, Report& report) {
  const HomeDevice::Visit visit(impl_->home);
  impl_->find(options, report);
}

std::uint64_t FrontEnd::bytes_kept() const { return impl_->bytes_kept; }

}  // namespace sightline::papers::cuda
