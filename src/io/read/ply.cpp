// PLY: positions from x, y, z of "vertex"; faces from the list vertex_indices (or vertex_index) of "face" and from
// "tristrips"; everything else is skipped. A cursor returns one value after the other, from text or from bytes.
//
// In a binary file, records of one size are read by all threads: vertices without lists, and faces that are triangles.
// If a record is different or has an error, the cursor reads the element again from its beginning.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <exception>
#include <type_traits>

#include "base/format.h"
#include "base/pages.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "read/records.h"
#include "read/text.h"
#include "read/triangulate.h"

namespace sightline::read {
namespace {

enum class PlyType : std::uint8_t { i8, u8, i16, u16, i32, u32, f32, f64 };
enum class PlyEncoding : std::uint8_t { ascii, little_endian, big_endian };

std::size_t size_of(PlyType type) {
  constexpr std::array<std::size_t, 8> kSizes = {1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}
bool is_real(PlyType type) { return type >= PlyType::f32; }

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::f32;       ///< for a list: the type of its items
  PlyType count_type = PlyType::u8;  ///< for a list: the type of its length
  bool is_list = false;
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  /// Index of the first property with one of two names, or -1.
  int find(std::string_view wanted, std::string_view other = {}) const {
    for (std::size_t i = 0; i < properties.size(); ++i)
      if (properties[i].name == wanted || (!other.empty() && properties[i].name == other)) return static_cast<int>(i);
    return -1;
  }
  /// Bytes of the shortest element: empty lists; in text a digit and a separator for each value.
  std::size_t least_size(PlyEncoding encoding) const {
    if (encoding == PlyEncoding::ascii) return 2 * properties.size();
    std::size_t size = 0;
    for (const PlyProperty& property : properties)
      size += size_of(property.is_list ? property.count_type : property.type);
    return size;
  }
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;
  std::size_t data = 0;  ///< byte where the data begins, counted without a byte order mark

  const PlyElement* find(std::string_view name) const {
    const auto found = std::ranges::find(elements, name, &PlyElement::name);
    return found == elements.end() ? nullptr : &*found;
  }
};

constexpr std::size_t kMostProperties = 1000;

class HeaderReader {
 public:
  HeaderReader(std::string_view text, const Source& source) : text_(text), source_(source), scan_(text, source.file) {}

  PlyHeader read() {
    if (scan_.word() != "ply") scan_.fail(text_.data(), "the first line is not \"ply\"");
    // Where lines end in \r alone, a \n after "end_header\r" is data.
    const bool only_returns = text_.substr(3).starts_with('\r') && !text_.substr(3).starts_with("\r\n");
    for (std::string_view keyword = next(); keyword != "end_header"; keyword = next()) {
      if (keyword == "format")
        read_format();
      else if (keyword == "element")
        read_element();
      else if (keyword == "property")
        read_property();
      else if (keyword != "comment" && keyword != "obj_info")
        skip_stray(keyword);
      scan_.skip_line();
    }
    if (!has_format_) scan_.fail("the header has no format");
    scan_.skip_line();
    const std::size_t newline_size =
        !only_returns && scan_.remaining() >= 2 && scan_.peek() == '\r' && scan_.place()[1] == '\n' ? 2 : 1;
    header_.data = std::min(static_cast<std::size_t>(scan_.place() - text_.data()) + newline_size, text_.size());
    return std::move(header_);
  }

 private:
  /// Some programs write lines of their own into the header.
  void skip_stray(std::string_view keyword) {
    if (++stray_ > kMostStray)
      scan_.fail(keyword.data(), formatted("{} is not a PLY header statement", quote(keyword)));
    source_.warn(
        formatted("the header line that begins with {} is not a PLY statement; it is skipped", quote(keyword)));
  }

  std::string_view next() {
    const std::string_view word = scan_.word();
    if (word.empty()) scan_.fail("the file ends inside the header");
    return word;
  }

  void read_format() {
    const std::string_view name = next();
    constexpr std::array<std::string_view, 3> kNames = {"ascii", "binary_little_endian", "binary_big_endian"};
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end()) scan_.fail(name.data(), formatted("format {} is not supported", quote(name)));
    header_.encoding = static_cast<PlyEncoding>(found - kNames.begin());
    has_format_ = true;
  }

  void read_element() {
    PlyElement element;
    const std::string_view name = next();
    element.name = name;
    if (header_.find(name) != nullptr) scan_.fail(name.data(), formatted("element {} is declared twice", quote(name)));
    if (header_.elements.size() == kMostProperties) scan_.fail(name.data(), "too many elements");
    element.count = scan_.count("the number of elements");
    header_.elements.push_back(std::move(element));
  }

  void read_property() {
    PlyProperty property;
    std::string_view type = next();
    if (header_.elements.empty()) scan_.fail(type.data(), "a property before the first element");
    PlyElement& element = header_.elements.back();
    if (type == "list") {
      property.is_list = true;
      const std::string_view count_type = next();
      property.count_type = read_type(count_type);
      if (is_real(property.count_type)) scan_.fail(count_type.data(), "the length of a list cannot be a real number");
      type = next();
    }
    property.type = read_type(type);
    const std::string_view name = next();
    property.name = name;
    if (element.find(name) >= 0) scan_.fail(name.data(), formatted("property {} is declared twice", quote(name)));
    if (element.properties.size() == kMostProperties) scan_.fail(name.data(), "too many properties");
    element.properties.push_back(std::move(property));
  }

  PlyType read_type(std::string_view name) {
    // Two names for each type, in the order of the enumeration.
    constexpr std::array<std::string_view, 16> kNames = {"char",   "int8",    "uchar",  "uint8",  "short", "int16",
                                                         "ushort", "uint16",  "int",    "int32",  "uint",  "uint32",
                                                         "float",  "float32", "double", "float64"};
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end()) scan_.fail(name.data(), formatted("{} is not a PLY type", quote(name)));
    return static_cast<PlyType>((found - kNames.begin()) / 2);
  }

  static constexpr int kMostStray = 20;  // more are not a header
  std::string_view text_;
  const Source& source_;
  Scanner scan_;
  PlyHeader header_;
  bool has_format_ = false;
  int stray_ = 0;
};

/// Values of text. `by_line`: each element is one line. Properties that are not used may be missing at its end, and
/// values after its last property are skipped.
class TextCursor {
 public:
  TextCursor(std::string_view text, const PlyHeader& header, const std::string& file, bool by_line = false)
      : scan_(text, file), by_line_(by_line) {
    scan_.seek(text.data() + header.data);
  }
  bool by_line() const { return by_line_; }
  void begin_element() {
    if (by_line_) scan_.skip_space();
  }
  void end_element() {
    if (by_line_) scan_.skip_line();
  }
  std::size_t remaining() const { return scan_.remaining() + 1; }  // the last separator may be missing
  double real(const PlyProperty& property) {
    need_value(property);
    return scan_.number(property.name.c_str());
  }
  std::int64_t integer(PlyType, const PlyProperty& property) {
    need_value(property);
    return scan_.integer(property.name.c_str());
  }
  void skip(PlyType, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (by_line_ && scan_.at_line_end()) return;
      if (scan_.word().empty()) scan_.fail("the file ends inside an element");
    }
  }
  /// The length of a list that is skipped; 0 where the line has ended.
  std::int64_t skipped_length(PlyType type, const PlyProperty& property) {
    return by_line_ && scan_.at_line_end() ? 0 : integer(type, property);
  }
  bool only_space_left() { return scan_.at_end(); }
  [[noreturn]] void fail(const std::string& message) const { scan_.fail(message); }

 private:
  void need_value(const PlyProperty& property) {
    if (by_line_ && scan_.at_line_end()) scan_.fail(formatted("the line ends where {} should be", property.name));
  }

  Scanner scan_;
  bool by_line_;
};

class ByteCursor {
 public:
  ByteCursor(std::string_view text, const PlyHeader& header, const std::string& file)
      : text_(text), at_(header.data), swap_(header.encoding == PlyEncoding::big_endian), file_(file) {}
  bool by_line() const { return false; }
  void begin_element() {}
  void end_element() {}
  std::int64_t skipped_length(PlyType type, const PlyProperty& property) { return integer(type, property); }
  std::size_t remaining() const { return text_.size() - at_; }
  double real(const PlyProperty& property) {
    if (property.type == PlyType::f32) return take<float, std::uint32_t>();
    if (property.type == PlyType::f64) return take<double, std::uint64_t>();
    return static_cast<double>(integer(property.type, property));
  }
  std::int64_t integer(PlyType type, const PlyProperty&) {
    switch (type) {
      case PlyType::i8:
        return take<std::int8_t>();
      case PlyType::u8:
        return take<std::uint8_t>();
      case PlyType::i16:
        return take<std::int16_t>();
      case PlyType::u16:
        return take<std::uint16_t>();
      case PlyType::i32:
        return take<std::int32_t>();
      default:
        return take<std::uint32_t>();
    }
  }
  void skip(PlyType type, std::uint64_t count) {
    if (count > remaining() / size_of(type)) fail("the file ends inside an element");
    at_ += static_cast<std::size_t>(count) * size_of(type);
  }
  bool only_space_left() const {
    return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(), is_space);
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(formatted("{}: byte {}: {}", file_, at_, message));
  }

 private:
  /// The shifts become one instruction; with std::ranges::reverse, a big-endian file took 14 % more instructions (g++
  /// 12).
  template <typename Value, typename Bits = std::make_unsigned_t<Value>>
  Value take() {
    if (remaining() < sizeof(Bits)) fail("the file ends inside an element");
    const char* from = text_.data() + at_;
    at_ += sizeof(Bits);
    return load<Value, Bits>(from);
  }

 public:
  bool swaps() const { return swap_; }
  const char* place() const { return text_.data() + at_; }
  void advance(std::size_t bytes) { at_ += bytes; }
  template <typename Value, typename Bits = std::make_unsigned_t<Value>>
  Value load(const char* from) const {
    Bits bits;
    std::memcpy(&bits, from, sizeof bits);
    if (swap_) {
      Bits swapped = 0;
      for (std::size_t i = 0; i < sizeof bits; ++i)
        swapped =
            static_cast<Bits>(swapped | static_cast<Bits>(((bits >> (8 * i)) & 0xFFu) << (8 * (sizeof bits - 1 - i))));
      bits = swapped;
    }
    return std::bit_cast<Value>(bits);
  }

 private:
  std::string_view text_;
  std::size_t at_;
  bool swap_;
  const std::string& file_;
};

/// Where the records of a binary file are, for a reader that keeps no contents in memory. Faces that are not records of
/// triangles go to a file.
struct PlyPlaces {
  const disk::Mapping& mapping;
  const StreamSettings& settings;
  bool has_strips = false;
  VertexRecords vertices = {};
  TriangleRecords triangles = {};
  std::unique_ptr<FaceFile> faces = {};

  /// Records of this size that are looked at before their memory is given back.
  std::size_t at_once(std::size_t stride) const { return static_cast<std::size_t>(settings.memory / 2 / stride) + 1; }
  void fill(Records& records, const Source& source, const char* place, std::uint64_t count, std::size_t stride,
            bool swap) const {
    records.begin = static_cast<std::uint64_t>(place - source.text().data());
    records.count = count;
    records.stride = stride;
    records.swap = swap;
  }
};

template <typename Cursor>
class PlyReader {
 public:
  template <typename... More>
  PlyReader(const Source& source, const PlyHeader& header, More... more)
      : source_(source), header_(header), cursor_(skip_bom(source.text()), header, source.file, more...) {}
  /// `places`: null if the contents are to be kept in memory.
  PlyReader(const Source& source, const PlyHeader& header, PlyPlaces* places = nullptr)
      : source_(source), header_(header), cursor_(skip_bom(source.text()), header, source.file), places_(places) {}

  Model read() {
    read_elements();
    Model model{.positions = std::move(points_)};
    faces_.move_to(model, source_);
    return model;
  }

  void read_elements() {
    for (const PlyElement& element : header_.elements) {
      const std::size_t all = element.least_size(header_.encoding),
                        least = cursor_.by_line() ? std::min<std::size_t>(all, 2) : all;
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
  }

 private:
  using Axes = std::array<int, 3>;  // the numbers of their properties

  Axes find_axes(const PlyElement& element) const {
    const Axes axes = {element.find("x"), element.find("y"), element.find("z")};
    for (int axis = 0; axis < 3; ++axis)
      if (axes[axis] < 0 || element.properties[axes[axis]].is_list)
        throw Error(formatted("{}: element \"vertex\" has no property \"{}\"", source_.file, "xyz"[axis]));
    return axes;
  }

  void read_vertices(const PlyElement& element) {
    if (element.count > 0xFFFFFFFFu)
      cursor_.fail(formatted("{} vertices are more than can be numbered", element.count));
    const Axes axes = find_axes(element);
    const auto is_f32 = [&](int axis) { return element.properties[axes[axis]].type == PlyType::f32; };
    if (header_.encoding != PlyEncoding::ascii && is_f32(0) && is_f32(1) && is_f32(2))
      read_points<float>(element, axes);
    else
      read_points<double>(element, axes);
  }

  template <typename Scalar>
  void read_points(const PlyElement& element, const Axes& axes) {
    std::vector<std::array<Scalar, 3>> points =
        large_vector<std::array<Scalar, 3>>(places_ == nullptr ? element.count : 0);
    const bool by_records = read_records(element, axes, points);
    Poll poll(source_.cancel);
    for (std::uint64_t i = by_records ? element.count : 0; i < element.count; ++i) {
      poll();
      cursor_.begin_element();
      for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
        const int axis = k == axes[0] ? 0 : k == axes[1] ? 1 : k == axes[2] ? 2 : -1;
        if (axis < 0) {
          skip_property(element.properties[k]);
          continue;
        }
        const double value = cursor_.real(element.properties[k]);
        if (!std::isfinite(value))
          cursor_.fail(formatted("vertex {}: {} is {}, not a finite number", i, "xyz"[axis], value));
        if (places_ == nullptr) points[i][axis] = static_cast<Scalar>(value);
      }
      cursor_.end_element();
      drop_memory(i);
    }
    if (!by_records && places_ != nullptr)
      throw_not_in_pieces(source_, "a PLY file whose vertices are not records of three float or three double");
    points_ = std::move(points);
  }

  /// After element i, if its contents are not kept.
  void drop_memory(std::uint64_t i) {
    if constexpr (std::is_same_v<Cursor, ByteCursor>)
      if (places_ != nullptr && i % 8192 == 0) places_->mapping.drop_before(cursor_.place());
  }

  /// All vertices at once. False, with the cursor where it was, if they are not records of one size with coordinates of
  /// type Scalar, or if a coordinate is not finite.
  template <typename Scalar>
  bool read_records(const PlyElement& element, const Axes& axes, std::vector<std::array<Scalar, 3>>& points) {
    if constexpr (std::is_same_v<Cursor, ByteCursor>) {
      using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
      constexpr PlyType kType = sizeof(Scalar) == 4 ? PlyType::f32 : PlyType::f64;
      std::array<std::size_t, 3> offset = {};
      std::size_t stride = 0;
      for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
        const PlyProperty& property = element.properties[k];
        if (property.is_list) return false;
        for (int axis = 0; axis < 3; ++axis)
          if (axes[axis] == k) offset[axis] = stride;
        stride += size_of(property.type);
      }
      for (const int axis : axes)
        if (element.properties[axis].type != kType) return false;
      std::atomic<bool> finite{true};
      for_records(element.count, stride, [&](std::size_t i, std::size_t last) {
        Scalar sum = 0;  // stays 0 unless a coordinate is not finite
        const bool keeps = places_ == nullptr;
        for (const char* record = cursor_.place() + i * stride; i < last; ++i, record += stride)
          for (int axis = 0; axis < 3; ++axis) {
            const Scalar x = cursor_.template load<Scalar, Bits>(record + offset[axis]);
            sum += x - x;
            if (keeps) points[i][axis] = x;
          }
        if (sum != 0) finite = false;
      });
      if (!all_agree(finite)) return false;
      if (places_ != nullptr) {
        places_->fill(places_->vertices, source_, cursor_.place(), element.count, stride, cursor_.swaps());
        places_->vertices.axis = offset;
        places_->vertices.is_double = sizeof(Scalar) == 8;
      }
      cursor_.advance(element.count * stride);
      return true;
    }
    return false;
  }

  /// True if the records that other processes check are good, too.
  bool all_agree(bool good) const { return places_ == nullptr ? good : places_->settings.all_agree(good); }

  /// Calls work(first, last) for ranges of records that threads share; with places, those of this process.
  template <typename Work>
  void for_records(std::uint64_t count, std::size_t stride, const Work& work) {
    constexpr std::size_t kRange = 1 << 15;
    Workers workers(source_.threads, count);
    if (places_ == nullptr)
      return workers.for_blocks(count, kRange, [&](std::size_t begin, std::size_t end) {
        const Poll poll(source_.cancel);
        work(begin, end);
      });
    const std::uint64_t end_of_share = places_->settings.begin_of(places_->settings.share + 1, count);
    for (std::uint64_t first = places_->settings.begin_of(places_->settings.share, count), last; first < end_of_share;
         first = last) {
      last = std::min<std::uint64_t>(end_of_share, first + places_->at_once(stride));
      workers.for_blocks(last - first, kRange,
                         [&](std::size_t begin, std::size_t end) { work(first + begin, first + end); });
      places_->mapping.drop_before(cursor_.place() + last * stride);
    }
  }

  /// All faces at once. False, with the cursor where it was, if they are not records of one size with three indices in
  /// range.
  bool read_triangles(const PlyElement& element, int list) {
    if constexpr (std::is_same_v<Cursor, ByteCursor>) {
      const PlyProperty& indices = element.properties[list];
      std::size_t stride = 0, offset = 0;
      for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
        const PlyProperty& property = element.properties[k];
        if (k == list) offset = stride;
        if (property.is_list && k != list) return false;
        stride += property.is_list ? size_of(property.count_type) + 3 * size_of(property.type) : size_of(property.type);
      }
      const std::size_t count_size = size_of(indices.count_type);
      if (size_of(indices.type) != 4 || (count_size != 1 && count_size != 4)) return false;
      if (element.count > cursor_.remaining() / stride || (places_ != nullptr && places_->has_strips)) return false;
      std::vector<Triangle> triangles = large_vector<Triangle>(places_ == nullptr ? element.count : 0);
      std::atomic<bool> good{true};
      for_records(element.count, stride, [&](std::size_t i, std::size_t last) {
        std::uint32_t largest = 0, not_three = 0;
        Triangle here;
        for (const char* at = cursor_.place() + i * stride + offset; i < last; ++i, at += stride) {
          not_three |= 3 ^ (count_size == 1 ? cursor_.template load<std::uint8_t>(at)
                                            : cursor_.template load<std::uint32_t>(at));
          Triangle& triangle = places_ == nullptr ? triangles[i] : here;
          for (std::size_t k = 0; k < 3; ++k) {
            triangle[k] = cursor_.template load<std::uint32_t>(at + count_size + 4 * k);
            largest = std::max(largest, triangle[k]);
          }
        }
        if (not_three != 0 || largest >= vertex_count_) good = false;
      });
      if (!all_agree(good)) return false;
      if (places_ != nullptr) {
        places_->fill(places_->triangles, source_, cursor_.place(), element.count, stride, cursor_.swaps());
        places_->triangles.indices = offset + count_size;
      }
      faces_.add(std::move(triangles));
      cursor_.advance(element.count * stride);
      return true;
    }
    return false;
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
    if (element.name == "face" && element.count > 0 && read_triangles(element, list)) return;
    Poll poll(source_.cancel);
    for (std::uint64_t i = 0; i < element.count; ++i) {
      poll();
      cursor_.begin_element();
      for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
        if (k == list)
          read_corners(element.properties[k], element.name, i);
        else
          skip_property(element.properties[k]);
      }
      cursor_.end_element();
      add(i);
      drop_memory(i);
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
    add_corners(corners_);
  }

  void add_corners(std::span<const std::uint32_t> corners) {
    if (places_ == nullptr) return faces_.add(corners);
    if (!places_->faces) places_->faces = std::make_unique<FaceFile>(places_->settings);
    places_->faces->add(corners);
  }

  /// Strips are separated by -1; every other triangle of a strip is turned to keep its winding.
  void add_strip(std::uint64_t) {
    std::size_t start = 0;
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      if (corners_[i] == kRestart) start = i + 1;
      if (i < start + 2 || corners_[i] == kRestart) continue;
      const bool turned = (i - start) % 2 == 1;
      add_corners(std::array{corners_[turned ? i - 1 : i - 2], corners_[turned ? i - 2 : i - 1], corners_[i]});
    }
  }

  void skip_property(const PlyProperty& property) {
    if (!property.is_list) return cursor_.skip(property.type, 1);
    const std::int64_t count = cursor_.skipped_length(property.count_type, property);
    if (count < 0) cursor_.fail(formatted("a list {} of {} items", quote(property.name), count));
    cursor_.skip(property.type, static_cast<std::uint64_t>(count));
  }

  void skip_elements(const PlyElement& element) {
    for (std::uint64_t i = 0; i < element.count; ++i) {
      cursor_.begin_element();
      for (const PlyProperty& property : element.properties) skip_property(property);
      cursor_.end_element();
    }
  }

  static constexpr std::uint32_t kRestart = 0xFFFFFFFFu;

  const Source& source_;
  const PlyHeader& header_;
  Cursor cursor_;
  PlyPlaces* places_ = nullptr;
  Points points_;
  FaceList faces_;
  std::vector<std::uint32_t> corners_;
  std::uint64_t vertex_count_ = 0;
};

/// Values one after the other. If they do not fit the header, each line is read as one element; if that fails, too, the
/// first error counts.
Model read_text_ply(const Source& source, const PlyHeader& header) {
  try {
    return PlyReader<TextCursor>(source, header).read();
  } catch (const Error&) {
    const std::exception_ptr first = std::current_exception();
    Model model;
    try {
      model = PlyReader<TextCursor>(source, header, true).read();
    } catch (const Error&) {
      std::rethrow_exception(first);
    }
    source.warn(
        "lines have other numbers of values than the header declares; each line is read as one element, and values "
        "that "
        "the header does not declare are skipped");
    return model;
  }
}

PlyHeader header_of(const Source& source) {
  PlyHeader header = HeaderReader(skip_bom(source.text()), source).read();
  if (header.find("vertex") == nullptr) throw Error(source.file + ": the header declares no element \"vertex\"");
  return header;
}

}  // namespace

Model read_ply(const Source& source) {
  const PlyHeader header = header_of(source);
  if (header.encoding == PlyEncoding::ascii) return read_text_ply(source, header);
  return PlyReader<ByteCursor>(source, header).read();
}

std::unique_ptr<TriangleSource> stream_ply(std::shared_ptr<const disk::InputFile> file, const disk::Mapping& mapping,
                                           const Source& source, const StreamSettings& settings) {
  const PlyHeader header = header_of(source);
  if (header.encoding == PlyEncoding::ascii) throw_not_in_pieces(source, "a PLY file in text form");
  const PlyElement* strips = header.find("tristrips");
  PlyPlaces places{mapping, settings, strips != nullptr && strips->count > 0};
  PlyReader<ByteCursor>(source, header, &places).read_elements();
  places.vertices.bytes.input = places.triangles.bytes.input = std::move(file);
  if (places.faces) places.triangles = places.faces->triangles(places.vertices, source);
  StreamSettings of_source = settings;
  of_source.agreed = {};  // it ends with this call
  return std::make_unique<IndexedSource>(source.file, source.stem, std::move(places.vertices),
                                         std::move(places.triangles), of_source);
}

}  // namespace sightline::read
