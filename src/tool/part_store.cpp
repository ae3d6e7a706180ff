#include "tool/part_store.h"

#include "read/file.h"
#include "tool/console.h"

namespace sightline::tool {
namespace {

/// Bytes of a mesh in memory, and those that its topology takes besides, for each triangle.
constexpr std::uint64_t kMeshBytes = 48, kTopologyBytes = 80;

/// The triangles of a view. The store knows what was read.
class ViewSource : public TriangleSource {
 public:
  ViewSource(PartStore& store, std::size_t part) : store_(store), part_(part) {}
  std::string file() const override { return store_.name(part_); }
  std::string name() const override { return store_.name(part_); }
  std::uint64_t size() const override { return store_.view(part_).triangles.size(); }
  bool is_double() const override { return store_.view(part_).positions.is_double(); }
  void read(std::uint64_t first, std::span<CornersF> to) override { copy(first, to); }
  void read(std::uint64_t first, std::span<CornersD> to) override { copy(first, to); }
  void rest() override { store_.release(part_); }

 private:
  template <typename Corners>
  void copy(std::uint64_t first, std::span<Corners> to) {
    using Scalar = typename Corners::value_type::value_type;
    const MeshView& view = store_.view(part_);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::array<Vec3d, 3> corners = view.corners(static_cast<std::size_t>(first) + i);
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t axis = 0; axis < 3; ++axis) to[i][k][axis] = static_cast<Scalar>(corners[k][axis]);  // exact
    }
    // The system brings 64 KiB around a place that is read.
    store_.was_read(part_, std::max<std::uint64_t>(to.size() * sizeof(Corners), std::uint64_t{3} << 16));
  }

  PartStore& store_;
  std::size_t part_;
};

std::string too_large(const std::filesystem::path& file, const std::string& what, std::uint64_t bytes,
                      std::uint64_t limit) {
  return fmt::format(
      "{}: {}; clash reads a file as a whole, which takes about {} MiB of memory, and the limit is {} MiB",
      report::printable(file.string()), what, (bytes >> 20) + 1, limit >> 20);
}

}  // namespace

PartStore::PartStore(const Settings& settings) : settings_(settings), scratch_(settings.scratch) {}

void PartStore::require_room(const std::filesystem::path& file) const {
  if (!settings_.memory) return;
  if (file == read::kStandardInput)
    throw Error("standard input has no known size; write it to a file, or leave --memory out");
  std::error_code none;
  const std::uint64_t bytes = std::filesystem::file_size(file, none);
  if (!none && bytes > *settings_.memory)
    throw Error(too_large(file, counted(bytes, "byte"), bytes, *settings_.memory));
}

void PartStore::require_room(const std::filesystem::path& file, const Assembly& read) const {
  if (!settings_.memory) return;
  std::uint64_t triangles = 0, largest = 0;
  for (const Mesh& mesh : read.meshes) {
    triangles += mesh.triangles.size();
    largest = std::max<std::uint64_t>(largest, mesh.triangles.size());
  }
  const std::uint64_t bytes = triangles * kMeshBytes + largest * kTopologyBytes;
  if (bytes > *settings_.memory) throw Error(too_large(file, counted(triangles, "triangle"), bytes, *settings_.memory));
}

std::uint64_t PartStore::append(std::span<const std::byte> bytes) {
  constexpr std::size_t kAlign = alignof(double);
  constexpr std::array<std::byte, kAlign> kZeros{};
  const std::uint64_t place = scratch_.append(bytes);
  scratch_.append(std::span(kZeros).first((kAlign - bytes.size() % kAlign) % kAlign));
  return place;
}

void PartStore::add(Assembly& read) {
  for (Mesh& mesh : read.meshes) {
    Place place;
    std::visit(
        [&](const auto& points) {
          place.points = append(std::as_bytes(std::span(points)));
          place.point_count = points.size();
        },
        mesh.positions);
    place.triangles = append(std::as_bytes(std::span(mesh.triangles)));
    place.triangle_count = mesh.triangles.size();
    place.is_double = mesh.view().positions.is_double();
    places_.push_back(place);
    mesh = {};
  }
}

std::span<const std::byte> PartStore::at(std::uint64_t place, std::size_t bytes) const {
  return bytes == 0 ? std::span<const std::byte>() : mapping_->bytes().subspan(static_cast<std::size_t>(place), bytes);
}

void PartStore::finish(const Assembly& all) {
  mapping_.emplace(scratch_);
  const auto items = [&]<typename Item>(std::uint64_t place, std::size_t count, std::type_identity<Item>) {
    return std::span(reinterpret_cast<const Item*>(at(place, count * sizeof(Item)).data()), count);
  };
  for (const Assembly::Part& part : all.parts) {
    const Place& p = places_[part.mesh];
    const Positions positions = p.is_double ? Positions(items(p.points, p.point_count, std::type_identity<Vec3d>{}))
                                            : Positions(items(p.points, p.point_count, std::type_identity<Vec3f>{}));
    parts_.push_back(
        {part.name,
         MeshView(positions, items(p.triangles, p.triangle_count, std::type_identity<Triangle>{}), part.transform)});
  }
}

std::string PartStore::name(std::size_t part) const {
  return parts_[part].name.empty() ? fmt::format("part {}", part) : report::printable(parts_[part].name);
}

void PartStore::release(std::size_t part) {
  const MeshView& mesh = view(part);
  mapping_->drop(std::as_bytes(mesh.positions.f32()));
  mapping_->drop(std::as_bytes(mesh.positions.f64()));
  mapping_->drop(std::as_bytes(mesh.triangles));
}

std::unique_ptr<TriangleSource> PartStore::source(std::size_t part) {
  return std::make_unique<ViewSource>(*this, part);
}

void PartStore::was_read(std::size_t part, std::uint64_t bytes) {
  const std::uint64_t most = settings_.memory.value_or(std::uint64_t{1} << 28) / 16;
  if (part != last_read_ || bytes_read_ > most) {
    release(last_read_);
    bytes_read_ = 0;
  }
  last_read_ = part;
  bytes_read_ += bytes;
}

}  // namespace sightline::tool
