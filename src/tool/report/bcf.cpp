#include "report/bcf.h"

#include <sys/stat.h>
#include <zip.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "report/formats.h"

namespace sightline::report {
namespace {

/// An archive in memory. Entries are stored, not compressed: no byte depends on a version of zlib.
class Archive {
 public:
  Archive() {
    zip_error_t error;
    zip_error_init(&error);
    source_ = zip_source_buffer_create(nullptr, 0, 0, &error);
    if (source_ != nullptr) zip_ = zip_open_from_source(source_, ZIP_TRUNCATE, &error);
    zip_error_fini(&error);
    if (zip_ == nullptr) {
      zip_source_free(source_);
      throw Error("BCF: cannot make a zip archive in memory");
    }
    zip_source_keep(source_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() {
    if (zip_ != nullptr) zip_discard(zip_);
    zip_source_free(source_);
  }

  void add(const std::string& name, std::string contents) {
    const std::string& kept = *texts_.emplace_back(std::make_unique<std::string>(std::move(contents)));
    zip_source_t* bytes = zip_source_buffer(zip_, kept.data(), kept.size(), 0);
    const zip_int64_t index = bytes == nullptr ? -1 : zip_file_add(zip_, name.c_str(), bytes, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(bytes);
      throw Error(fmt::format("BCF: {}", zip_strerror(zip_)));
    }
    const auto entry = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(zip_, entry, ZIP_CM_STORE, 0);
    zip_file_set_dostime(zip_, entry, 0, 1 << 5 | 1, 0);  // 1 January 1980, the first day that zip has
  }

  std::string bytes() {
    if (zip_close(zip_) != 0) throw Error(fmt::format("BCF: {}", zip_strerror(zip_)));
    zip_ = nullptr;
    std::string out;
    if (zip_source_open(source_) != 0) throw Error("BCF: cannot read the zip archive in memory");
    char block[1 << 14];
    for (zip_int64_t got; (got = zip_source_read(source_, block, sizeof block)) > 0;)
      out.append(block, static_cast<std::size_t>(got));
    zip_source_close(source_);
    return out;
  }

 private:
  zip_source_t* source_ = nullptr;
  zip_t* zip_ = nullptr;
  std::vector<std::unique_ptr<std::string>> texts_;
};

/// An id that follows from a text, in the form of a UUID of version 8 (RFC 9562: contents of our own).
std::string guid(std::string_view text) {
  std::uint64_t half[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};  // FNV-1a from two starts
  for (const char c : text)
    for (std::uint64_t& h : half) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  half[1] ^= half[1] >> 29;
  const std::uint64_t a = (half[0] & ~std::uint64_t{0xF000}) | 0x8000u,
                      b = (half[1] & ~(std::uint64_t{3} << 62)) | std::uint64_t{1} << 63;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", a >> 32, a >> 16 & 0xFFFF, a & 0xFFFF, b >> 48,
                     b & 0xFFFFFFFFFFFFu);
}

std::string date_of(std::span<const Part> parts) {
  std::time_t newest = 0;
  std::set<std::string> files;
  for (const Part& part : parts) files.insert(part.file);
  for (const std::string& file : files) {
    struct stat info = {};
    if (::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode)) newest = std::max(newest, info.st_mtime);
  }
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH"))
    newest = static_cast<std::time_t>(std::strtoll(epoch, nullptr, 10));
  std::tm utc = {};
  ::gmtime_r(&newest, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

struct Bounds {
  Vec3d low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  void add(const Vec3d& p) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], p[axis]);
      high[axis] = std::max(high[axis], p[axis]);
    }
  }
  bool empty() const { return !(low[0] <= high[0]); }
  Vec3d centre() const { return {low[0] / 2 + high[0] / 2, low[1] / 2 + high[1] / 2, low[2] / 2 + high[2] / 2}; }
  double diagonal() const { return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]); }
};

Bounds bounds_of(const MeshView& mesh) {
  Bounds bounds;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) bounds.add(mesh.position(i));
  return bounds;
}

/// What two boxes have in common, or what lies between them.
Bounds between(const Bounds& a, const Bounds& b) {
  Bounds out;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = std::max(a.low[axis], b.low[axis]), high = std::min(a.high[axis], b.high[axis]);
    out.low[axis] = std::min(low, high);
    out.high[axis] = std::max(low, high);
  }
  return out;
}

pugi::xml_node child(pugi::xml_node parent, const char* name, const std::string& text = "") {
  pugi::xml_node node = parent.append_child(name);
  if (!text.empty()) node.text().set(as_xml(text).c_str());
  return node;
}

void add_vector(pugi::xml_node parent, const char* name, const Vec3d& v) {
  pugi::xml_node node = child(parent, name);
  for (int axis = 0; axis < 3; ++axis) child(node, &"X\0Y\0Z"[2 * axis], fmt::format("{}", v[axis]));
}

std::string text_of(const pugi::xml_document& document) {
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

pugi::xml_node begin(pugi::xml_document& document, const char* root) {
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  return document.append_child(root);
}

/// IFC's own ids, which some converters use as names: 22 characters of their base64.
bool is_ifc_guid(const std::string& name) {
  return name.size() == 22 &&
         name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$") ==
             std::string::npos;
}

class BcfWriter {
 public:
  BcfWriter(const BcfInput& input, const WriteOptions& options)
      : input_(input), options_(options), date_(date_of(input.parts)) {
    for (const Part& part : input.parts) bounds_.push_back(bounds_of(part.mesh));
    constexpr std::uint64_t kStep = 1 << 12;
    for (std::uint64_t i = 0; i < input.contacts.size(); ++i) {
      const Contact& contact = input.contacts[i];
      if ((i + 1) % kStep == 0) done(kStep);
      Bounds& bounds = common_[{contact.object_a, contact.object_b}];
      const Intersection common = Contacts{input.parts, input.contacts}.geometry(contact);
      for (const Vec3d& p : common.points()) bounds.add(p);
    }
  }

  std::string bytes() {
    pugi::xml_document version;
    pugi::xml_node root = begin(version, "Version");
    root.append_attribute("VersionId") = "2.1";
    child(root, "DetailedVersion", "2.1");
    archive_.add("bcf.version", text_of(version));
    for (std::size_t i = 0; i < input_.pairs.size(); ++i) {
      add_topic(input_.pairs[i], i);
      done(1);
    }
    return archive_.bytes();
  }

 private:
  void done(std::uint64_t items) const {
    if (options_.cancel && options_.cancel()) throw Cancelled{};
    if (options_.progress) options_.progress(items);
  }

  std::string file_name(std::uint32_t part) const {
    return std::filesystem::path(input_.parts[part].file).filename().string();
  }

  void add_topic(const PartPair& pair, std::size_t number) {
    const std::string &a = input_.labels[pair.a], &b = input_.labels[pair.b];
    // Without the relation: a clash that becomes a touch is the same topic.
    const std::string topic = guid(fmt::format("{}\n{}\n{}\n{}", file_name(pair.a), a, file_name(pair.b), b));
    const std::string view = guid(topic + " viewpoint");
    archive_.add(topic + "/markup.bcf", markup(pair, number, topic, view));
    archive_.add(topic + "/viewpoint.bcfv", viewpoint(pair, view));
  }

  std::string markup(const PartPair& pair, std::size_t number, const std::string& topic,
                     const std::string& view) const {
    const std::string &a = input_.labels[pair.a], &b = input_.labels[pair.b];
    pugi::xml_document document;
    pugi::xml_node root = begin(document, "Markup");
    pugi::xml_node header = child(root, "Header");
    for (const std::string& file : std::set<std::string>{file_name(pair.a), file_name(pair.b)})
      child(child(header, "File"), "Filename", file);
    pugi::xml_node node = child(root, "Topic");
    node.append_attribute("Guid") = topic.c_str();
    node.append_attribute("TopicType") = pair.relation == Relation::clash ? "Clash" : "Issue";
    node.append_attribute("TopicStatus") = "Open";
    const std::string relation(to_string(pair.relation));
    child(node, "Title", fmt::format("{} and {}: {}", a, b, relation));
    child(node, "Index", fmt::format("{}", number));
    child(node, "Labels", relation);
    child(node, "CreationDate", date_);
    child(node, "CreationAuthor", input_.author);
    child(node, "Description", description(pair));
    pugi::xml_node viewpoints = child(root, "Viewpoints");
    viewpoints.append_attribute("Guid") = view.c_str();
    child(viewpoints, "Viewpoint", "viewpoint.bcfv");
    return text_of(document);
  }

  std::string description(const PartPair& pair) const {
    const std::string &a = input_.labels[pair.a], &b = input_.labels[pair.b];
    std::string text;
    switch (pair.relation) {
      case Relation::clash:
        text = fmt::format("{} and {} overlap.", a, b);
        break;
      case Relation::contains:
        text = pair.inner == pair.a ? fmt::format("{} lies inside {}.", a, b) : fmt::format("{} lies inside {}.", b, a);
        break;
      case Relation::touch:
        text = fmt::format("{} and {} {}.", a, b,
                           pair.tolerated ? "overlap, and the overlap is within the tolerance" : "touch");
        break;
      default:
        text = fmt::format("{} and {} are close.", a, b);
    }
    std::uint64_t contacts = 0;
    for (const std::uint64_t count : pair.contacts) contacts += count;
    if (contacts > 0) text += fmt::format(" Pairs of triangles in contact: {}.", contacts);
    if (std::isfinite(pair.gap) && pair.gap > 0) text += fmt::format(" Gap: {:.6g} {}.", pair.gap, unit());
    if (pair.depth) text += fmt::format(" Depth: {} {}.", digits(pair.depth->depth), unit());
    if (pair.volume) text += fmt::format(" Volume of the overlap: {} {}³.", digits(*pair.volume), unit());
    if (pair.separation) {
      const Vec3d& way = pair.separation->translation;
      text +=
          fmt::format(" Moving {} by ({:.6g}, {:.6g}, {:.6g}) {} ends the contact.", a, way[0], way[1], way[2], unit());
    }
    const Vec3d at = place_of(pair).centre();
    text += fmt::format(" Place: {:.6g}, {:.6g}, {:.6g} {}.", at[0], at[1], at[2], unit());
    if (input_.unit.empty())
      text += " The files do not define one unit for all parts: the viewpoint takes a file unit as a meter.";
    return text;
  }

  std::string unit() const { return input_.unit.empty() ? "file units" : input_.unit; }

  /// The box of the contacts; without contacts, what the boxes of the parts have in common or what is between them.
  Bounds place_of(const PartPair& pair) const {
    const auto found = common_.find({pair.a, pair.b});
    if (found != common_.end() && !found->second.empty()) return found->second;
    return between(bounds_[pair.a], bounds_[pair.b]);
  }

  std::string viewpoint(const PartPair& pair, const std::string& id) const {
    pugi::xml_document document;
    pugi::xml_node root = begin(document, "VisualizationInfo");
    root.append_attribute("Guid") = id.c_str();
    pugi::xml_node components = child(root, "Components");
    pugi::xml_node selection = child(components, "Selection");
    for (const std::uint32_t part : {pair.a, pair.b}) {
      pugi::xml_node component = child(selection, "Component");
      const std::string& name = input_.parts[part].name;
      if (is_ifc_guid(name)) component.append_attribute("IfcGuid") = name.c_str();
      child(component, "OriginatingSystem", file_name(part));
      child(component, "AuthoringToolId", input_.labels[part]);
    }
    child(components, "Visibility").append_attribute("DefaultVisibility") = "true";
    add_camera(child(root, "PerspectiveCamera"), place_of(pair),
               std::min(bounds_[pair.a].diagonal(), bounds_[pair.b].diagonal()));
    return text_of(document);
  }

  /// From above and from the side, so far away that the place and the smaller part fill the view.
  void add_camera(pugi::xml_node camera, const Bounds& place, double smaller_part) const {
    constexpr double kFieldOfView = 45;
    const double size = std::max({place.diagonal(), smaller_part, 1e-300});
    const int up = input_.up, right = (up + 1) % 3, away = (up + 2) % 3;
    Vec3d direction;
    direction[right] = -0.5;
    direction[away] = up == 1 ? -0.7071067811865476 : 0.7071067811865476;
    direction[up] = -0.5;
    // The up vector is the axis without its share along the direction: axis + direction / 2, scaled to length 1.
    const double scale = 1 / std::sqrt(0.75);
    Vec3d upward, eye;
    const Vec3d centre = place.centre();
    for (int axis = 0; axis < 3; ++axis) {
      upward[axis] = ((axis == up ? 1 : 0) + direction[axis] / 2) * scale;
      eye[axis] = (centre[axis] - direction[axis] * size * 1.6) * input_.meters;
    }
    add_vector(camera, "CameraViewPoint", eye);
    add_vector(camera, "CameraDirection", direction);
    add_vector(camera, "CameraUpVector", upward);
    child(camera, "FieldOfView", fmt::format("{}", kFieldOfView));
  }

  const BcfInput& input_;
  const WriteOptions& options_;
  std::string date_;
  std::vector<Bounds> bounds_;  // per part
  std::map<std::pair<std::uint32_t, std::uint32_t>, Bounds> common_;
  Archive archive_;
};

}  // namespace

void write_bcf(Output& output, const BcfInput& input, const WriteOptions& options) {
  output.write(BcfWriter(input, options).bytes());
}

}  // namespace sightline::report
