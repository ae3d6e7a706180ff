// OFF and its variants [ST][C][N]OFF in text. The position comes first on each vertex's line and the corners come first
// on each face's line. So the rest of the line holds normals, colours and texture coordinates, and is skipped.
//
// Threads read pieces of the text if each element is one line, as in almost every file. Otherwise, and if there is any
// error, one thread reads the whole text, so that the first error of the file is reported.

#include <atomic>

#include "base/format.h"
#include "base/pages.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "read/read_memory.h"
#include "read/text.h"
#include "read/triangulate.h"

namespace sightline::read {
namespace {

/// The shortest vertex, "0 0 0\n", and face, "3 0 0 0\n": no count can be larger than the text can hold.
constexpr std::size_t kLeastVertex = 6, kLeastFace = 8;

/// The keyword is optional: a file may open with its counts.
void skip_header(Scanner& scan) {
  if (scan.at_end() || (is_digit(scan.peek()) && scan.peek() != '4')) return;
  Scanner ahead = scan;
  const std::string_view keyword = ahead.word();
  if (!is_off_keyword(keyword)) {
    if (scan.peek() == '4') return;
    scan.fail(formatted("{} where OFF should be", quote(keyword)));
  }
  const std::size_t after = keyword.find("OFF") + 3;
  if (keyword.substr(0, after).find_first_of("4n") != std::string_view::npos)
    scan.fail(formatted("{}: only three-dimensional OFF is supported", quote(keyword)));
  if (after < keyword.size()) {
    scan.seek(keyword.data() + after);
    return;
  }
  ahead.skip_blank();
  if (ahead.peek() == 'B') ahead.fail(formatted("{}: binary OFF is not supported", quote(ahead.word())));
  scan = ahead;
}

std::size_t read_count(Scanner& scan, const char* what, std::size_t least_bytes) {
  scan.skip_space();
  const char* start = scan.place();
  const std::uint64_t count = scan.count(what);
  // One more than the division allows, since the last line need not be ended.
  const std::uint64_t most = std::min<std::uint64_t>(scan.remaining() / least_bytes + 1, 0xFFFFFFFFu);
  if (count > most) scan.fail(start, formatted("{} {} is more than the file can hold", what, count));
  return count;
}

struct Counts {
  std::size_t vertices, faces;
};

void read_face(Scanner& scan, std::size_t vertex_count, std::vector<std::uint32_t>& corners) {
  scan.skip_space();
  const char* start = scan.place();
  const std::uint64_t count = scan.count("the number of corners");
  if (count < 3) scan.fail(start, formatted("face with {} corners; at least 3 are needed", count));
  corners.clear();
  for (std::uint64_t k = 0; k < count; ++k) {
    scan.skip_space();
    const char* place = scan.place();
    const std::int64_t index = scan.integer("vertex index");
    if (index < 0 || static_cast<std::uint64_t>(index) >= vertex_count)
      scan.fail(place, formatted("vertex index {} is out of range; there are {} vertices", index, vertex_count));
    corners.push_back(static_cast<std::uint32_t>(index));
  }
  scan.skip_line();
}

/// Everything after the counts, by one thread.
void read_elements(Scanner& scan, const Counts& counts, Poll poll, std::vector<Vec3d>& points, FaceList& faces) {
  for (Vec3d& point : points) {
    poll();
    point = scan.point();
    scan.skip_line();
  }
  faces.reserve(counts.faces);
  std::vector<std::uint32_t> corners;
  for (std::size_t i = 0; i < counts.faces; ++i) {
    poll();
    read_face(scan, counts.vertices, corners);
    faces.add(corners);
  }
  if (!scan.at_end()) scan.fail(formatted("{} after the last of {} faces", quote(scan.word()), counts.faces));
}

/// A piece of the text after the counts, in which each line is one vertex or one face.
class OffPiece {
 public:
  OffPiece(const Scanner& scan, std::string_view piece) : scan_(scan) { scan_.restrict_to(piece); }

  /// Reads elements from number `first` on. False if a line is not a whole element, or not of the number that `last`
  /// (the first number of the next piece) makes it. Throws Error for any other fault.
  bool read(const Counts& counts, std::size_t first, std::size_t last, Poll poll, std::span<Vec3d> points) {
    const std::size_t all = counts.vertices + counts.faces;
    for (; first < std::min(last, all); ++first) {
      poll();
      if (!(first < counts.vertices ? read_vertex(points[first]) : read_one_face(counts.vertices))) return false;
      if (first + 1 < all && !next_line()) return false;
    }
    return last < all ? scan_.remaining() == 0 : scan_.at_end();
  }
  FaceList faces;

 private:
  bool read_vertex(Vec3d& point) {
    static constexpr const char* kAxis[3] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; ++axis) {
      if (scan_.at_line_end()) return false;
      point[axis] = scan_.number(kAxis[axis]);
    }
    return true;
  }
  bool read_one_face(std::size_t vertex_count) {
    if (scan_.at_line_end()) return false;
    const std::uint64_t count = scan_.count("the number of corners");
    if (count < 3) return false;
    corners_.clear();
    for (std::uint64_t k = 0; k < count; ++k) {
      if (scan_.at_line_end()) return false;
      const std::int64_t index = scan_.integer("vertex index");
      if (index < 0 || static_cast<std::uint64_t>(index) >= vertex_count) return false;
      corners_.push_back(static_cast<std::uint32_t>(index));
    }
    faces.add(corners_);
    return true;
  }
  /// Past the line end, which must have a line feed: those were counted.
  bool next_line() {
    scan_.skip_line();
    if (scan_.peek() == '\r') scan_.seek(scan_.place() + 1);
    if (scan_.peek() != '\n') return false;
    scan_.seek(scan_.place() + 1);
    return true;
  }

  Scanner scan_;
  std::vector<std::uint32_t> corners_;
};

/// The same by all threads. False if the text is not one element a line, or has an error.
bool read_pieces(const Scanner& scan, std::string_view rest, const Counts& counts, const Source& source,
                 Workers& workers, std::vector<Vec3d>& points, FaceList& faces) {
  const std::vector<std::string_view> texts = line_pieces(rest, source.piece_bytes);
  std::vector<std::size_t> first(texts.size() + 1, 0);
  workers.for_each(texts.size(), [&](std::size_t i) {
    first[i + 1] = static_cast<std::size_t>(std::count(texts[i].begin(), texts[i].end(), '\n'));
  });
  for (std::size_t i = 0; i < texts.size(); ++i) first[i + 1] += first[i];
  first.back() = std::max(first.back(), counts.vertices + counts.faces);  // the last line need not be ended
  std::vector<OffPiece> pieces;
  for (const std::string_view text : texts) pieces.emplace_back(scan, text);
  std::atomic<bool> good{true};
  workers.for_each(pieces.size(), [&](std::size_t i) {
    try {
      if (good.load(std::memory_order_relaxed) &&
          !pieces[i].read(counts, first[i], first[i + 1], Poll(source.cancel), points))
        good = false;
    } catch (const Error&) {
      good = false;
    }
  });
  if (!good) return false;
  std::vector<FaceList> lists;
  for (OffPiece& piece : pieces) lists.push_back(std::move(piece.faces));
  faces = FaceList::joined(std::move(lists), workers);
  return true;
}

}  // namespace

Model read_off(const Source& source) {
  const std::string_view text = skip_bom(source.text());
  Scanner scan(text, source.file, '#');
  skip_header(scan);
  Counts counts;
  counts.vertices = read_count(scan, "the number of vertices", kLeastVertex);
  counts.faces = read_count(scan, "the number of faces", kLeastFace);
  if (!scan.at_line_end()) scan.count("the number of edges");
  std::vector<Vec3d> points = large_vector<Vec3d>(counts.vertices);
  FaceList faces;
  Workers workers(source.threads, text.size() / kBytesPerTriangle);
  Scanner body = scan;
  body.skip_space();
  const std::string_view rest(body.place(), body.remaining());
  // Elements may also begin on the line of the counts.
  if (!(scan.at_line_end() && workers.count() > 1 && rest.size() > source.piece_bytes &&
        read_pieces(scan, rest, counts, source, workers, points, faces)))
    read_elements(scan, counts, Poll(source.cancel), points, faces);
  Model model{.positions = std::move(points)};
  faces.move_to(model, source);
  return model;
}

}  // namespace sightline::read
