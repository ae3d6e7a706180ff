// The parts of `clash` on the disk: their files are read one after the other, and a part is in memory while it is used.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "disk/scratch.h"
#include "sightline/huge.h"
#include "tool/options.h"

namespace sightline::tool {

class PartStore : public PartSource {
 public:
  explicit PartStore(const Settings& settings);

  /// Throws Error for a file that does not fit into --memory, before it is read.
  void require_room(const std::filesystem::path& file) const;
  /// The same for meshes that were read, whose facts are still needed.
  void require_room(const std::filesystem::path& file, const Assembly& read) const;
  /// Moves the meshes to the disk. The assembly keeps its parts.
  void add(Assembly& read);
  /// After the last add(). The parts of `all` are views of the meshes that were added, in their order.
  void finish(const Assembly& all);

  std::size_t size() const override { return parts_.size(); }
  std::string name(std::size_t part) const override;
  MeshView load(std::size_t part) override { return view(part); }
  void release(std::size_t part) override;

  /// Its pages come when they are read, and leave with release().
  const MeshView& view(std::size_t part) const { return parts_[part].view; }
  /// The triangles of a part, in place, as a source; valid as long as the store.
  std::unique_ptr<TriangleSource> source(std::size_t part);
  /// A source has read about so many bytes. The pages of another part, or too many of this one, are dropped.
  void was_read(std::size_t part, std::uint64_t bytes);
  std::uint64_t bytes() const { return scratch_.size(); }

 private:
  struct Place {
    std::uint64_t points = 0, triangles = 0;  ///< in the file
    std::size_t point_count = 0, triangle_count = 0;
    bool is_double = false;
  };
  struct Part {
    std::string name;
    MeshView view;
  };
  std::span<const std::byte> at(std::uint64_t place, std::size_t bytes) const;
  std::uint64_t append(std::span<const std::byte> bytes);

  const Settings& settings_;
  disk::ScratchFile scratch_;
  std::vector<Place> places_;  ///< of meshes
  std::optional<disk::Mapping> mapping_;
  std::vector<Part> parts_;
  std::size_t last_read_ = 0;  ///< part
  std::uint64_t bytes_read_ = 0;
};

}  // namespace sightline::tool
