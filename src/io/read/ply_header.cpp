
#include <array>

#include "base/format.h"
#include "read/ply.h"
#include "read/text.h"

namespace sightline::read {
namespace {

constexpr std::size_t kMostProperties = 1000;

class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& file) : text_(text), scan_(text, file) {}

  PlyHeader read() {
    if (scan_.word() != "ply") scan_.fail(text_.data(), "the first line is not \"ply\"");
    // The data follows the line end of "end_header". Its length is that of the first line end.
    const std::size_t newline_size = text_.substr(3).starts_with("\r\n") ? 2 : 1;
    for (std::string_view keyword = next(); keyword != "end_header"; keyword = next()) {
      if (keyword == "format")
        read_format();
      else if (keyword == "element")
        read_element();
      else if (keyword == "property")
        read_property();
      else if (keyword != "comment" && keyword != "obj_info")
        scan_.fail(keyword.data(), formatted("{} is not a PLY header statement", quote(keyword)));
      scan_.skip_line();
    }
    if (!has_format_) scan_.fail("the header has no format");
    scan_.skip_line();
    header_.data = std::min(static_cast<std::size_t>(scan_.place() - text_.data()) + newline_size, text_.size());
    return std::move(header_);
  }

 private:
  std::string_view next() {
    const std::string_view word = scan_.word();
    if (word.empty()) scan_.fail("the file ends inside the header");
    return word;
  }

  void read_format() {
    const std::string_view name = next();
    if (name == "ascii")
      header_.encoding = PlyEncoding::ascii;
    else if (name == "binary_little_endian")
      header_.encoding = PlyEncoding::little_endian;
    else if (name == "binary_big_endian")
      header_.encoding = PlyEncoding::big_endian;
    else
      scan_.fail(name.data(), formatted("format {} is not supported", quote(name)));
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
    constexpr std::array<std::array<std::string_view, 2>, 8> kNames = {{{"char", "int8"},
                                                                        {"uchar", "uint8"},
                                                                        {"short", "int16"},
                                                                        {"ushort", "uint16"},
                                                                        {"int", "int32"},
                                                                        {"uint", "uint32"},
                                                                        {"float", "float32"},
                                                                        {"double", "float64"}}};
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (name == kNames[i][0] || name == kNames[i][1]) return static_cast<PlyType>(i);
    scan_.fail(name.data(), formatted("{} is not a PLY type", quote(name)));
  }

  std::string_view text_;
  Scanner scan_;
  PlyHeader header_;
  bool has_format_ = false;
};

}  // namespace

std::size_t size_of(PlyType type) {
  constexpr std::array<std::size_t, 8> kSizes = {1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}

int PlyElement::find(std::string_view wanted, std::string_view other) const {
  for (std::size_t i = 0; i < properties.size(); ++i)
    if (properties[i].name == wanted || (!other.empty() && properties[i].name == other)) return static_cast<int>(i);
  return -1;
}

std::size_t PlyElement::least_size(PlyEncoding encoding) const {
  if (encoding == PlyEncoding::ascii) return 2 * properties.size();
  std::size_t size = 0;
  for (const PlyProperty& property : properties)
    size += size_of(property.is_list ? property.count_type : property.type);
  return size;
}

const PlyElement* PlyHeader::find(std::string_view name) const {
  for (const PlyElement& element : elements)
    if (element.name == name) return &element;
  return nullptr;
}

PlyHeader read_ply_header(std::string_view text, const std::string& file) { return HeaderReader(text, file).read(); }

}  // namespace sightline::read
