
#include <new>

#include "base/format.h"
#include "read/text.h"
#include "read/three_mf.h"

namespace sightline::read {
namespace {

constexpr std::size_t kMostFiles = 10'000;

std::string_view without_prefix(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

}  // namespace

std::string_view local_name(pugi::xml_node node) { return without_prefix(node.name()); }

pugi::xml_node child_named(pugi::xml_node parent, std::string_view name) {
  for (const pugi::xml_node node : parent.children())
    if (local_name(node) == name) return node;
  return {};
}

std::string_view attribute_named(pugi::xml_node node, std::string_view name) {
  for (const pugi::xml_attribute attribute : node.attributes())
    if (without_prefix(attribute.name()) == name) return attribute.value();
  return {};
}

void ThreeMfPackage::fail(const std::string& where, const std::string& message) const {
  throw Error(formatted("{}: {}: {}", source_.file, where, message));
}

std::string ThreeMfPackage::root_path() const {
  if (std::optional<std::string> text = archive_.read("_rels/.rels")) {
    pugi::xml_document relations;
    if (relations.load_buffer_inplace(text->data(), text->size()))
      for (const pugi::xml_node relation : child_named(relations, "Relationships").children())
        if (attribute_named(relation, "Type").ends_with("/3dmodel"))
          return std::string(attribute_named(relation, "Target"));
  }
  return "3D/3dmodel.model";
}

pugi::xml_node ThreeMfPackage::model(const std::string& path) {
  std::unique_ptr<File>& file = files_[path];
  if (file == nullptr) {
    if (files_.size() > kMostFiles) fail(quote(path), "too many models in one package");
    file = std::make_unique<File>();
    load(*file, path);
  }
  return file->model;
}

void ThreeMfPackage::load(File& file, const std::string& path) {
  std::optional<std::string> text = archive_.read(path);
  if (!text) fail(quote(path), "the archive has no such entry");
  inflated_ += text->size();
  if (inflated_ > source_.limits.inflated)
    fail(quote(path), formatted("the models inflate to more than {} bytes", source_.limits.inflated));
  file.text = std::move(*text);
  const pugi::xml_parse_result result =
      file.xml.load_buffer_inplace(file.text.data(), file.text.size(), pugi::parse_minimal | pugi::parse_escapes);
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  if (!result)
    fail(formatted("{} byte {}", quote(path), result.offset), formatted("not valid XML: {}", result.description()));
  file.model = child_named(file.xml, "model");
  if (!file.model) fail(quote(path), "has no element \"model\"");
  check_unit(file.model, path);
  check_extensions(file.model, path);
  index_objects(file, path);
}

void ThreeMfPackage::index_objects(File& file, const std::string& path) const {
  const pugi::xml_node resources = child_named(file.model, "resources");
  for (const pugi::xml_node node : resources.children()) {
    if (local_name(node) != "object") continue;
    const std::string id(attribute_named(node, "id"));
    if (!file.objects.emplace(id, node).second) fail(quote(path), formatted("two objects have the id {}", quote(id)));
  }
}

/// Coordinates are taken as they are, so the models of one package must be in one unit.
void ThreeMfPackage::check_unit(pugi::xml_node model, const std::string& path) {
  std::string unit(attribute_named(model, "unit"));
  if (unit.empty()) unit = "millimeter";
  if (unit_.empty()) unit_ = unit;
  if (unit != unit_)
    fail(quote(path), formatted("the unit {} differs from {} of another model", quote(unit), quote(unit_)));
}

/// A required extension must be known or be about materials; any other could hold geometry.
void ThreeMfPackage::check_extensions(pugi::xml_node model, const std::string& path) const {
  Scanner scan(attribute_named(model, "requiredextensions"), source_.file);
  for (std::string_view prefix = scan.word(); !prefix.empty(); prefix = scan.word()) {
    const std::string_view space = model.attribute(("xmlns:" + std::string(prefix)).c_str()).value();
    bool known = false;
    for (const char* word : {"/material/", "/production/", "/trianglesets/"})
      known |= space.find(word) != std::string_view::npos;
    if (!known)
      fail(quote(path), formatted("the required extension {} ({}) is not supported", quote(prefix), quote(space)));
  }
}

pugi::xml_node ThreeMfPackage::object(const std::string& path, const std::string& id, const std::string& where) {
  model(path);
  const auto& objects = files_[path]->objects;
  const auto found = objects.find(id);
  if (found == objects.end()) fail(where, formatted("there is no object {} in {}", quote(id), quote(path)));
  return found->second;
}

Transform ThreeMfPackage::transform(pugi::xml_node node, const std::string& where) const {
  Transform out;
  const std::string_view text = attribute_named(node, "transform");
  if (text.empty()) return out;
  Scanner scan(text, source_.file);
  for (int column = 0; column < 4; ++column) {
    for (int row = 0; row < 3; ++row) {
      const std::string_view word = scan.word();
      const char* problem = nullptr;
      if (!parse_double(word, out.rows[row][column], problem))
        fail(where, formatted("transform: {} {}", quote(word), problem));
    }
  }
  if (!scan.at_end()) fail(where, "transform: more than 12 numbers");
  return out;
}

}  // namespace sightline::read
