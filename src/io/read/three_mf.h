// The XML of a 3MF package, apart from how its objects are placed.
#pragma once

#include <map>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "read/archive.h"
#include "read/placed.h"

namespace sightline::read {

/// Name of an element without its namespace prefix.
std::string_view local_name(pugi::xml_node node);
pugi::xml_node child_named(pugi::xml_node parent, std::string_view name);
/// Value of an attribute whatever its prefix ("p:path"); empty if there is none.
std::string_view attribute_named(pugi::xml_node node, std::string_view name);

/// The models of a package. Each is parsed once, on its first use.
class ThreeMfPackage {
 public:
  explicit ThreeMfPackage(const Source& source) : source_(source), archive_(source) {}

  /// The entry that the package's relationships name as its model, else the usual one.
  std::string root_path() const;
  pugi::xml_node model(const std::string& path);
  /// Fails if the model has no such object.
  pugi::xml_node object(const std::string& path, const std::string& id, const std::string& where);
  /// The attribute "transform": three rows of the linear part, then the translation; the identity if absent.
  Transform transform(pugi::xml_node node, const std::string& where) const;
  [[noreturn]] void fail(const std::string& where, const std::string& message) const;

 private:
  struct File {
    std::string text;  // the document points into it
    pugi::xml_document xml;
    pugi::xml_node model;
    std::map<std::string, pugi::xml_node> objects;
  };
  void load(File& file, const std::string& path);
  void index_objects(File& file, const std::string& path) const;
  void check_unit(pugi::xml_node model, const std::string& path);
  void check_extensions(pugi::xml_node model, const std::string& path) const;

  const Source& source_;
  Archive archive_;
  std::map<std::string, std::unique_ptr<File>> files_;
  std::string unit_;
  std::uint64_t inflated_ = 0;
};

}  // namespace sightline::read
