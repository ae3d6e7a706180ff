// Wavefront OBJ: v, f, o and g are read; statements about appearance are skipped. A part is a combination of an object
// name and a group name; a combination that occurs again continues its part. Free-form surfaces are an error, since
// they would be lost.
//
// Threads read pieces of the text that end with a line. A piece does not know how many vertices there are before it, so
// the corners that count back from the last vertex are completed when the pieces are joined. If a piece has an error,
// the whole text is read again as one piece: the error that is reported is the first one of the file.

#include <atomic>
#include <map>

#include "base/format.h"
#include "base/pages.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "read/records.h"
#include "read/text.h"
#include "read/triangulate.h"

namespace sightline::read {
namespace {

constexpr std::size_t kMostNumbers = 0xFFFFFFFFu;

/// A change of a name, between two faces.
struct Naming {
  std::size_t triangle;  ///< the next one, counted in its piece
  bool is_object;        ///< else a group
  std::string_view name;
};

/// The largest vertex index that counts from the beginning of the file, and where it occurs first.
struct Largest {
  std::size_t end = 0;  ///< one past it
  const char* place = nullptr;
};

class ObjPiece {
 public:
  /// `piece` is a part of `text`. `before`: the number of vertices before it, if it is known.
  ObjPiece(const Source& source, std::string_view text, std::string_view piece, std::optional<std::size_t> before)
      : source_(&source), scan_(text, source.file, '#', true), before_(before) {
    scan_.restrict_to(piece);
  }

  void read() {
    Poll poll(source_->cancel);
    while (!scan_.at_end()) {
      poll();
      const char* start = scan_.place();
      read_statement(scan_.word(), start);
      while (!scan_.at_line_end()) scan_.word();
    }
  }

  /// A face may name vertices that come after it, so the largest index is checked at the end.
  void check_largest(std::size_t vertices) const { check_largest(largest, vertices); }
  void check_largest(const Largest& found, std::size_t vertices) const {
    if (found.end <= vertices) return;
    scan_.fail(found.place, formatted("vertex index {} is out of range; there are {} vertices", found.end, vertices));
  }

  /// Completes the corners that count back, in a piece that follows `before` vertices. False if one is out of range.
  bool complete(std::size_t before) {
    for (const FaceList::Place& place : relative_) {
      std::uint32_t& corner = faces.corner(place);
      const std::int64_t index = static_cast<std::int64_t>(before) + static_cast<std::int32_t>(corner);
      if (index < 0 || index >= static_cast<std::int64_t>(kMostNumbers)) return false;
      corner = static_cast<std::uint32_t>(index);
    }
    return true;
  }

  std::vector<Vec3d> points;
  FaceList faces;
  std::vector<Naming> namings;
  Largest largest;

 private:
  void read_statement(std::string_view keyword, const char* start) {
    if (keyword == "v")
      read_vertex(start);
    else if (keyword == "f" || keyword == "fo")
      read_face(start);
    else if (keyword == "o" || keyword == "g")
      namings.push_back(
          {faces.triangle_count(), keyword == "o", scan_.at_line_end() ? std::string_view() : scan_.rest_of_line()});
    else if (keyword == "surf" || keyword == "call")
      scan_.fail(start, formatted("statement {} is not supported", quote(keyword)));
  }

  void read_vertex(const char* start) {
    if (before_.value_or(0) + points.size() == kMostNumbers) scan_.fail(start, "more vertices than can be numbered");
    Vec3d p;
    for (int axis = 0; axis < 3; ++axis) {
      if (scan_.at_line_end()) scan_.fail(start, formatted("vertex with {} coordinates; 3 are needed", axis));
      p[axis] = scan_.number(kAxis[axis]);
    }
    points.push_back(p);
  }

  void read_face(const char* start) {
    corners_.clear();
    relative_corners_.clear();
    while (!scan_.at_line_end()) corners_.push_back(read_corner());
    if (corners_.size() < 3)
      scan_.fail(start, formatted("face with {} corners; at least 3 are needed", corners_.size()));
    if (faces.triangle_count() + corners_.size() > kMostNumbers)
      scan_.fail(start, "more triangles than can be numbered");
    faces.add(corners_);
    for (const std::size_t corner : relative_corners_) relative_.push_back(faces.place_of_last(corner));
  }

  /// i, i/t, i//n or i/t/n; the file counts from 1, or back from the last vertex so far.
  std::uint32_t read_corner() {
    const char* start = scan_.place();
    if (const std::optional<std::uint32_t> plain = scan_.short_count()) {
      if (*plain > largest.end) largest = {*plain, start};
      if (*plain > 0) return *plain - 1;
      scan_.seek(start);
    }
    const std::string_view word = scan_.word();
    std::int64_t index = 0;
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const std::string_view rest(stop, static_cast<std::size_t>(word.data() + word.size() - stop));
    if (error == std::errc::invalid_argument || !(rest.empty() || is_reference_tail(rest)))
      scan_.fail(start, formatted("{} is not a vertex reference", quote(word)));
    const auto count = static_cast<std::int64_t>(before_.value_or(0) + points.size());
    const std::int64_t from_zero = index < 0 ? count + index : index - 1;
    if (index < 0 && !before_ && from_zero >= INT32_MIN && from_zero <= INT32_MAX) {
      relative_corners_.push_back(corners_.size());
      return static_cast<std::uint32_t>(from_zero);
    }
    if (error == std::errc::result_out_of_range || from_zero < 0 || from_zero > 0xFFFFFFFE)
      scan_.fail(start, formatted("vertex index {} is out of range; there are {} vertices", quote(word), count));
    if (from_zero >= static_cast<std::int64_t>(largest.end)) largest = {static_cast<std::size_t>(from_zero) + 1, start};
    return static_cast<std::uint32_t>(from_zero);
  }

  static bool is_reference_tail(std::string_view rest) {
    return rest.front() == '/' && rest.find_first_not_of("/-+0123456789") == std::string_view::npos;
  }

  static constexpr const char* kAxis[3] = {"x", "y", "z"};

  const Source* source_;
  Scanner scan_;
  std::optional<std::size_t> before_;
  std::vector<std::uint32_t> corners_;
  std::vector<std::size_t> relative_corners_;  ///< of the current face
  std::vector<FaceList::Place> relative_;
};

/// The names in force, and the parts that they make.
class Parts {
 public:
  void set(bool is_object, std::string_view name) {
    (is_object ? object_ : group_) = name;
    if (is_object) group_.clear();
    changed_ = true;
  }
  /// Faces follow under the names in force.
  void add_faces(std::size_t first_triangle, Model& model) {
    if (!std::exchange(changed_, false)) return;
    const auto [found, is_new] = number_.try_emplace({object_, group_}, static_cast<std::uint32_t>(model.parts.size()));
    if (is_new) model.parts.push_back({part_name(), found->second});
    model.runs.push_back({first_triangle, found->second});
  }

 private:
  std::string part_name() const {
    if (object_.empty() || object_ == group_) return group_;
    return group_.empty() ? object_ : object_ + "/" + group_;
  }

  std::string object_, group_;
  bool changed_ = true;
  std::map<std::pair<std::string, std::string>, std::uint32_t> number_;
};

void add_parts(std::span<const ObjPiece> pieces, Parts& parts, std::size_t before, Model& model) {
  for (const ObjPiece& piece : pieces) {
    std::size_t first = 0;
    const auto faces_up_to = [&](std::size_t last) {
      if (last > first) parts.add_faces(before + first, model);
      first = last;
    };
    for (const Naming& naming : piece.namings) {
      faces_up_to(naming.triangle);
      parts.set(naming.is_object, naming.name);
    }
    faces_up_to(piece.faces.triangle_count());
    before += piece.faces.triangle_count();
  }
}

/// False if a piece has an error, or if the joined pieces, which follow `vertices` vertices, have one.
bool read_pieces(std::vector<ObjPiece>& pieces, Workers& workers, std::size_t vertices = 0) {
  std::atomic<bool> good{true};
  workers.for_each(pieces.size(), [&](std::size_t i) {
    try {
      if (good.load(std::memory_order_relaxed)) pieces[i].read();
    } catch (const Error&) {
      good = false;
    }
  });
  if (!good) return false;
  std::size_t triangles = 0;
  std::vector<std::size_t> before;
  for (const ObjPiece& piece : pieces) {
    before.push_back(vertices);
    vertices += piece.points.size();
    triangles += piece.faces.triangle_count();
  }
  if (vertices > kMostNumbers || triangles > kMostNumbers) return false;
  workers.for_each(pieces.size(), [&](std::size_t i) {
    if (!pieces[i].complete(before[i])) good = false;
  });
  return good;
}

std::vector<Vec3d> joined_points(std::vector<ObjPiece>& pieces, Workers& workers) {
  if (pieces.size() == 1) return std::move(pieces.front().points);
  std::vector<std::size_t> before = {0};
  for (const ObjPiece& piece : pieces) before.push_back(before.back() + piece.points.size());
  std::vector<Vec3d> all = large_vector<Vec3d>(before.back());
  workers.for_each(pieces.size(), [&](std::size_t i) {
    std::ranges::copy(pieces[i].points, all.begin() + static_cast<std::ptrdiff_t>(before[i]));
    pieces[i].points = {};
  });
  return all;
}

std::size_t vertex_count(std::span<const ObjPiece> pieces) {
  std::size_t sum = 0;
  for (const ObjPiece& piece : pieces) sum += piece.points.size();
  return sum;
}
std::size_t largest_end(std::span<const ObjPiece> pieces) {
  std::size_t largest = 0;
  for (const ObjPiece& piece : pieces) largest = std::max(largest, piece.largest.end);
  return largest;
}

/// The text piece by piece: positions and faces go to scratch files.
class ObjStream {
 public:
  ObjStream(const disk::Mapping& mapping, const Source& source, const StreamSettings& settings)
      : mapping_(mapping),
        source_(source),
        settings_(settings),
        text_(skip_bom(source.text())),
        points_(std::make_shared<disk::ScratchFile>(settings.scratch)),
        faces_(settings) {}

  std::unique_ptr<TriangleSource> read() {
    Workers workers(settings_.threads, text_.size() / kBytesPerTriangle);
    // A piece takes about three times its text in memory.
    const std::size_t most = static_cast<std::size_t>(settings_.memory) / (4 * workers.count());
    const std::size_t bytes = std::max<std::size_t>(4096, std::min(source_.piece_bytes, most));
    for (std::string_view rest = text_; !rest.empty();) {
      const std::vector<std::string_view> group = first_pieces(rest, bytes, workers.count());
      read_group(group, workers);
      rest.remove_prefix(static_cast<std::size_t>(group.back().data() + group.back().size() - rest.data()));
      mapping_.drop_before(rest.data());
    }
    ObjPiece(source_, text_, text_, vertices_).check_largest(largest_, vertices_);
    VertexRecords vertices;
    vertices.bytes.scratch = points_;
    vertices.count = vertices_;
    vertices.stride = sizeof(Vec3d);
    vertices.axis = {0, 8, 16};
    vertices.is_double = true;
    const bool named = model_.parts.size() == 1 && !model_.parts[0].name.empty();
    TriangleRecords triangles = faces_.triangles(vertices, source_);
    return std::make_unique<IndexedSource>(source_.file, named ? model_.parts[0].name : source_.stem,
                                           std::move(vertices), std::move(triangles), settings_);
  }

 private:
  /// At most `count` pieces from the beginning of the text.
  static std::vector<std::string_view> first_pieces(std::string_view text, std::size_t bytes, std::size_t count) {
    std::vector<std::string_view> pieces;
    for (; pieces.size() < count && !text.empty(); text.remove_prefix(pieces.back().size()))
      pieces.push_back(first_line_piece(text, bytes));
    return pieces;
  }

  void read_group(std::span<const std::string_view> group, Workers& workers) {
    std::vector<ObjPiece> pieces;
    for (const std::string_view piece : group) pieces.emplace_back(source_, text_, piece, std::nullopt);
    if (read_pieces(pieces, workers, vertices_)) return put(pieces);
    // One after the other: the error that is reported is the first one.
    for (const std::string_view piece : group) {
      pieces.assign(1, ObjPiece(source_, text_, piece, vertices_));
      pieces.front().read();
      put(pieces);
    }
  }

  void put(std::vector<ObjPiece>& pieces) {
    add_parts(pieces, parts_, faces_.triangle_count(), model_);
    model_.runs.clear();
    for (ObjPiece& piece : pieces) {
      points_->append(std::as_bytes(std::span(piece.points)));
      vertices_ += piece.points.size();
      piece.faces.for_each([this](std::span<const std::uint32_t> corners) { faces_.add(corners); });
      if (piece.largest.end > largest_.end) largest_ = piece.largest;
    }
  }

  const disk::Mapping& mapping_;
  const Source& source_;
  const StreamSettings& settings_;
  std::string_view text_;
  std::shared_ptr<disk::ScratchFile> points_;
  FaceFile faces_;
  Largest largest_;
  std::size_t vertices_ = 0;
  Parts parts_;
  Model model_;  ///< only its parts
};

}  // namespace

std::unique_ptr<TriangleSource> stream_obj(const disk::Mapping& mapping, const Source& source,
                                           const StreamSettings& settings) {
  return ObjStream(mapping, source, settings).read();
}

Model read_obj(const Source& source) {
  const std::string_view text = skip_bom(source.text());
  Workers workers(source.threads, text.size() / kBytesPerTriangle);
  std::vector<ObjPiece> pieces;
  for (const std::string_view piece : line_pieces(text, workers.count() > 1 ? source.piece_bytes : text.size()))
    pieces.emplace_back(source, text, piece, pieces.empty() ? std::optional<std::size_t>(0) : std::nullopt);
  if (pieces.size() != 1 && (!read_pieces(pieces, workers) || largest_end(pieces) > vertex_count(pieces)))
    pieces.assign(1, ObjPiece(source, text, text, 0));
  if (pieces.size() == 1) {
    pieces.front().read();
    pieces.front().check_largest(pieces.front().points.size());
  }
  Model model;
  Parts parts;
  add_parts(pieces, parts, 0, model);
  model.positions = joined_points(pieces, workers);
  std::vector<FaceList> faces;
  for (ObjPiece& piece : pieces) faces.push_back(std::move(piece.faces));
  FaceList::joined(std::move(faces), workers).move_to(model, source);
  return model;
}

}  // namespace sightline::read
