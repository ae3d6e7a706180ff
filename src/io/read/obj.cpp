// Wavefront OBJ: v, f, o and g are read; statements about appearance are skipped. A part is a combination of an object
// name and a group name; a combination that occurs again continues its part. Free-form surfaces are an error, since
// they would be lost.

#include <map>

#include "base/format.h"
#include "read/read_memory.h"
#include "read/text.h"
#include "read/triangulate.h"

namespace sightline::read {
namespace {

class ObjReader {
 public:
  explicit ObjReader(const Source& source) : source_(source), scan_(skip_bom(source.text()), source.file, '#', true) {}

  Model read() {
    while (!scan_.at_end()) {
      const char* start = scan_.place();
      read_statement(scan_.word(), start);
      while (!scan_.at_line_end()) scan_.word();
    }
    check_largest();
    Model model{.positions = std::move(points_), .parts = std::move(parts_), .runs = std::move(runs_)};
    faces_.move_to(model, source_);
    return model;
  }

 private:
  void read_statement(std::string_view keyword, const char* start) {
    if (keyword == "v")
      read_vertex(start);
    else if (keyword == "f" || keyword == "fo")
      read_face(start);
    else if (keyword == "o")
      set_name(object_);
    else if (keyword == "g")
      set_name(group_);
    else if (keyword == "surf" || keyword == "call")
      scan_.fail(start, formatted("statement {} is not supported", quote(keyword)));
  }

  void read_vertex(const char* start) {
    if (points_.size() == 0xFFFFFFFFu) scan_.fail(start, "more vertices than can be numbered");
    Vec3d p;
    for (int axis = 0; axis < 3; ++axis) {
      if (scan_.at_line_end()) scan_.fail(start, formatted("vertex with {} coordinates; 3 are needed", axis));
      p[axis] = scan_.number(kAxis[axis]);
    }
    points_.push_back(p);
  }

  void read_face(const char* start) {
    corners_.clear();
    while (!scan_.at_line_end()) corners_.push_back(read_corner());
    if (corners_.size() < 3)
      scan_.fail(start, formatted("face with {} corners; at least 3 are needed", corners_.size()));
    if (faces_.triangle_count() + corners_.size() > 0xFFFFFFFFu)
      scan_.fail(start, "more triangles than can be numbered");
    if (part_changed_) start_run();
    faces_.add(corners_);
  }

  /// i, i/t, i//n or i/t/n; the file counts from 1, or back from the last vertex so far.
  std::uint32_t read_corner() {
    const char* start = scan_.place();
    const std::string_view word = scan_.word();
    std::int64_t index = 0;
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const std::string_view rest(stop, static_cast<std::size_t>(word.data() + word.size() - stop));
    if (error == std::errc::invalid_argument || !(rest.empty() || is_reference_tail(rest)))
      scan_.fail(start, formatted("{} is not a vertex reference", quote(word)));
    const auto count = static_cast<std::int64_t>(points_.size());
    const std::int64_t from_zero = index < 0 ? count + index : index - 1;
    if (error == std::errc::result_out_of_range || from_zero < 0 || from_zero > 0xFFFFFFFE)
      scan_.fail(start, formatted("vertex index {} is out of range; there are {} vertices", quote(word), count));
    if (from_zero >= largest_end_) {
      largest_end_ = from_zero + 1;
      largest_place_ = start;
    }
    return static_cast<std::uint32_t>(from_zero);
  }

  static bool is_reference_tail(std::string_view rest) {
    return rest.front() == '/' && rest.find_first_not_of("/-+0123456789") == std::string_view::npos;
  }

  /// A face may name vertices that come after it, so the largest index is checked at the end.
  void check_largest() {
    if (largest_end_ <= static_cast<std::int64_t>(points_.size())) return;
    scan_.fail(largest_place_,
               formatted("vertex index {} is out of range; there are {} vertices", largest_end_, points_.size()));
  }

  void set_name(std::string& name) {
    name = scan_.at_line_end() ? std::string_view() : scan_.rest_of_line();
    if (&name == &object_) group_.clear();
    part_changed_ = true;
  }

  void start_run() {
    part_changed_ = false;
    const auto [found, is_new] =
        part_of_name_.try_emplace({object_, group_}, static_cast<std::uint32_t>(parts_.size()));
    if (is_new) parts_.push_back({part_name(), found->second});
    runs_.push_back({faces_.triangle_count(), found->second});
  }
  std::string part_name() const {
    if (object_.empty() || object_ == group_) return group_;
    return group_.empty() ? object_ : object_ + "/" + group_;
  }

  static constexpr const char* kAxis[3] = {"x", "y", "z"};

  const Source& source_;
  Scanner scan_;
  std::vector<Vec3d> points_;
  FaceList faces_;
  std::vector<std::uint32_t> corners_;
  std::int64_t largest_end_ = 0;  // one past the largest index seen, and where it stands
  const char* largest_place_ = nullptr;
  std::string object_, group_;
  bool part_changed_ = true;
  std::map<std::pair<std::string, std::string>, std::uint32_t> part_of_name_;
  std::vector<Part> parts_;
  std::vector<Run> runs_;
};

}  // namespace

Model read_obj(const Source& source) { return ObjReader(source).read(); }

}  // namespace sightline::read
