// OFF and its variants [ST][C][N]OFF in text. The position comes first on each vertex's line and the corners come first
// on each face's line. So the rest of the line holds normals, colours and texture coordinates, and is skipped.

#include "base/format.h"
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
  if (keyword.find_first_of("4n") != std::string_view::npos)
    scan.fail(formatted("{}: only three-dimensional OFF is supported", quote(keyword)));
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

std::vector<Vec3d> read_vertices(Scanner& scan, std::size_t count) {
  std::vector<Vec3d> points;
  points.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back(scan.point());
    scan.skip_line();
  }
  return points;
}

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

}  // namespace

Model read_off(const Source& source) {
  Scanner scan(skip_bom(source.text()), source.file, '#');
  skip_header(scan);
  const std::size_t vertex_count = read_count(scan, "the number of vertices", kLeastVertex);
  const std::size_t face_count = read_count(scan, "the number of faces", kLeastFace);
  if (!scan.at_line_end()) scan.count("the number of edges");
  Model model{.positions = read_vertices(scan, vertex_count)};
  FaceList faces;
  faces.reserve(face_count);
  std::vector<std::uint32_t> corners;
  for (std::size_t i = 0; i < face_count; ++i) {
    read_face(scan, vertex_count, corners);
    faces.add(corners);
  }
  if (!scan.at_end()) scan.fail(formatted("{} after the last of {} faces", quote(scan.word()), face_count));
  faces.move_to(model, source);
  return model;
}

}  // namespace sightline::read
