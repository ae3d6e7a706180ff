// PLY: positions from x, y, z of "vertex"; faces from the list vertex_indices (or vertex_index) of "face" and from
// "tristrips"; everything else is skipped. A cursor returns one value after the other, from text or from bytes.
#include "read/ply.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/format.h"
#include "read/text.h"
#include "read/triangulate.h"

namespace sightline::read {
namespace {

class TextCursor {
 public:
  TextCursor(std::string_view text, const PlyHeader& header, const std::string& file) : scan_(text, file) {
    scan_.seek(text.data() + header.data);
  }
  std::size_t remaining() const { return scan_.remaining() + 1; }  // the last separator may be missing
  double real(const PlyProperty& property) { return scan_.number(property.name.c_str()); }
  std::int64_t integer(PlyType, const PlyProperty& property) { return scan_.integer(property.name.c_str()); }
  void skip(PlyType, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      if (scan_.word().empty()) scan_.fail("the file ends inside an element");
  }
  bool only_space_left() { return scan_.at_end(); }
  [[noreturn]] void fail(const std::string& message) const { scan_.fail(message); }

 private:
  Scanner scan_;
};

class ByteCursor {
 public:
  ByteCursor(std::string_view text, const PlyHeader& header, const std::string& file)
      : text_(text), at_(header.data), swap_(header.encoding == PlyEncoding::big_endian), file_(file) {}
  std::size_t remaining() const { return text_.size() - at_; }
  double real(const PlyProperty& property) {
    switch (property.type) {
      case PlyType::f32:
        return take<float, std::uint32_t>();
      case PlyType::f64:
        return take<double, std::uint64_t>();
      default:
        return static_cast<double>(integer(property.type, property));
    }
  }
  std::int64_t integer(PlyType type, const PlyProperty&) {
    switch (type) {
      case PlyType::i8:
        return take<std::int8_t, std::uint8_t>();
      case PlyType::u8:
        return take<std::uint8_t, std::uint8_t>();
      case PlyType::i16:
        return take<std::int16_t, std::uint16_t>();
      case PlyType::u16:
        return take<std::uint16_t, std::uint16_t>();
      case PlyType::i32:
        return take<std::int32_t, std::uint32_t>();
      default:
        return take<std::uint32_t, std::uint32_t>();
    }
  }
  void skip(PlyType type, std::uint64_t count) {
    if (count > remaining() / size_of(type)) fail("the file ends inside an element");
    at_ += static_cast<std::size_t>(count) * size_of(type);
  }
  const char* here() const { return text_.data() + at_; }
  bool only_space_left() const {
    return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(), is_space);
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(formatted("{}: byte {}: {}", file_, at_, message));
  }

 private:
  template <typename Value, typename Bits>
  Value take() {
    if (remaining() < sizeof(Bits)) fail("the file ends inside an element");
    Bits bits;
    std::memcpy(&bits, here(), sizeof bits);
    at_ += sizeof bits;
    if (swap_) {
      Bits swapped = 0;
      for (std::size_t i = 0; i < sizeof bits; ++i)
        swapped =
            static_cast<Bits>(swapped | static_cast<Bits>(((bits >> (8 * i)) & 0xFFu) << (8 * (sizeof bits - 1 - i))));
      bits = swapped;
    }
    return std::bit_cast<Value>(bits);
  }

  std::string_view text_;
  std::size_t at_;
  bool swap_;
  const std::string& file_;
};

template <typename Cursor>
class PlyReader {
 public:
  PlyReader(const Source& source, const PlyHeader& header)
      : source_(source), header_(header), cursor_(skip_bom(source.text()), header, source.file) {}

  Model read() {
    for (const PlyElement& element : header_.elements) {
      const std::size_t least = element.least_size(header_.encoding);
      if (element.name == "vertex") find_axes(element);
      if (least == 0) continue;  // no properties: nothing is stored
      if (element.count > cursor_.remaining() / least)
        cursor_.fail(formatted("the header claims {} elements {}, more than the file can hold", element.count,
                               quote(element.name)));
      if (element.name == "vertex")
        read_vertices(element);
      else if (element.name == "face")
        read_lists(element, [this](std::uint64_t i) { add_face(i); });
      else if (element.name == "tristrips")
        read_lists(element, [this](std::uint64_t i) { add_strip(i); });
      else
        skip_elements(element);
    }
    if (!cursor_.only_space_left()) cursor_.fail("there is more data than the header claims");
    Model model{.positions = std::move(points_)};
    faces_.move_to(model, source_);
    return model;
  }

 private:
  struct Axes {
    int property[3];
  };

  Axes find_axes(const PlyElement& element) const {
    Axes axes;
    constexpr std::string_view kNames[3] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; ++axis) {
      axes.property[axis] = element.find(kNames[axis]);
      if (axes.property[axis] < 0 || element.properties[axes.property[axis]].is_list)
        throw Error(formatted("{}: element \"vertex\" has no property \"{}\"", source_.file, kNames[axis]));
    }
    return axes;
  }

  void read_vertices(const PlyElement& element) {
    if (element.count > 0xFFFFFFFFu)
      cursor_.fail(formatted("{} vertices are more than can be numbered", element.count));
    const Axes axes = find_axes(element);
    const auto is_f32 = [&](int axis) { return element.properties[axes.property[axis]].type == PlyType::f32; };
    if (header_.encoding != PlyEncoding::ascii && is_f32(0) && is_f32(1) && is_f32(2))
      read_points<float>(element, axes);
    else
      read_points<double>(element, axes);
  }

  template <typename Scalar>
  void read_points(const PlyElement& element, const Axes& axes) {
    std::vector<std::array<Scalar, 3>> points(element.count);
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
        const int axis = k == axes.property[0] ? 0 : k == axes.property[1] ? 1 : k == axes.property[2] ? 2 : -1;
        if (axis < 0) {
          skip_property(element.properties[k]);
          continue;
        }
        const double value = cursor_.real(element.properties[k]);
        if (!std::isfinite(value))
          cursor_.fail(formatted("vertex {}: {} is {}, not a finite number", i, "xyz"[axis], value));
        points[i][axis] = static_cast<Scalar>(value);
      }
    }
    points_ = std::move(points);
  }

  /// Calls `add` after each element, with its index list in corners_.
  template <typename Add>
  void read_lists(const PlyElement& element, const Add& add) {
    const int list = element.find("vertex_indices", "vertex_index");
    if (list < 0 || !element.properties[list].is_list || is_real(element.properties[list].type))
      throw Error(formatted("{}: element {} has no list of whole numbers \"vertex_indices\"", source_.file,
                            quote(element.name)));
    const PlyElement* vertices = header_.find("vertex");
    vertex_count_ = vertices == nullptr ? 0 : vertices->count;
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
        if (k == list)
          read_corners(element.properties[k], element.name, i);
        else
          skip_property(element.properties[k]);
      }
      add(i);
    }
  }

  void read_corners(const PlyProperty& property, const std::string& element, std::uint64_t number) {
    const std::int64_t count = cursor_.integer(property.count_type, property);
    if (count < 0) cursor_.fail(formatted("{} {}: a list of {} items", element, number, count));
    corners_.clear();
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t index = cursor_.integer(property.type, property);
      const bool restarts = index == -1 && element == "tristrips";
      if (!restarts && (index < 0 || static_cast<std::uint64_t>(index) >= vertex_count_))
        cursor_.fail(formatted("{} {}: vertex index {} is out of range; there are {} vertices", element, number, index,
                               vertex_count_));
      corners_.push_back(static_cast<std::uint32_t>(index));
    }
  }

  void add_face(std::uint64_t number) {
    if (corners_.size() < 3)
      cursor_.fail(formatted("face {}: {} corners; at least 3 are needed", number, corners_.size()));
    faces_.add(corners_);
  }

  /// Strips are separated by -1; every other triangle of a strip is turned to keep its winding.
  void add_strip(std::uint64_t) {
    std::size_t start = 0;
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      if (corners_[i] == kRestart) start = i + 1;
      if (i < start + 2 || corners_[i] == kRestart) continue;
      const bool turned = (i - start) % 2 == 1;
      faces_.add(std::array{corners_[turned ? i - 1 : i - 2], corners_[turned ? i - 2 : i - 1], corners_[i]});
    }
  }

  void skip_property(const PlyProperty& property) {
    if (!property.is_list) return cursor_.skip(property.type, 1);
    const std::int64_t count = cursor_.integer(property.count_type, property);
    if (count < 0) cursor_.fail(formatted("a list {} of {} items", quote(property.name), count));
    cursor_.skip(property.type, static_cast<std::uint64_t>(count));
  }

  void skip_elements(const PlyElement& element) {
    for (std::uint64_t i = 0; i < element.count; ++i)
      for (const PlyProperty& property : element.properties) skip_property(property);
  }

  static constexpr std::uint32_t kRestart = 0xFFFFFFFFu;

  const Source& source_;
  const PlyHeader& header_;
  Cursor cursor_;
  Points points_;
  FaceList faces_;
  std::vector<std::uint32_t> corners_;
  std::uint64_t vertex_count_ = 0;
};

}  // namespace

Model read_ply(const Source& source) {
  const PlyHeader header = read_ply_header(skip_bom(source.text()), source.file);
  if (header.find("vertex") == nullptr) throw Error(source.file + ": the header declares no element \"vertex\"");
  if (header.encoding == PlyEncoding::ascii) return PlyReader<TextCursor>(source, header).read();
  return PlyReader<ByteCursor>(source, header).read();
}

}  // namespace sightline::read
