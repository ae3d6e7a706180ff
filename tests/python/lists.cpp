// Meshes and lists of contacts in a binary form, for tests in other languages:
//   sightline_lists corpus OUT       each mesh of the corpus, with the library's list
//   sightline_lists cgal MESH OUT    a mesh file, with the pairs that CGAL finds (those in which both triangles have
//   area)
// For each mesh: the line "name float64 POSITIONS TRIANGLES CONTACTS" (or float32), then the positions, the triangles
// (uint32) and the contacts (uint32 a, b, kind; CGAL has no kinds: 0), in the byte order of this machine.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <span>
#include <string>

#include "oracle/cgal.h"
#include "sightline/io.h"
#include "sightline/query.h"
#include "support/corpus.h"

namespace {

using sightline::Mesh;
using Row = std::array<std::uint32_t, 3>;

template <typename Item>
void put(std::ostream& out, const std::vector<Item>& items) {
  const auto bytes = std::as_bytes(std::span(items));
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void put(std::ostream& out, const std::string& name, const Mesh& mesh, const std::vector<Row>& contacts) {
  const sightline::MeshView view = mesh.view();
  out << name << (view.positions.is_double() ? " float64 " : " float32 ") << view.positions.size() << ' '
      << mesh.triangles.size() << ' ' << contacts.size() << '\n';
  std::visit([&](const auto& positions) { put(out, positions); }, mesh.positions);
  put(out, mesh.triangles);
  put(out, contacts);
}

void put_corpus(std::ostream& out) {
  for (const testing_support::Item& item : testing_support::corpus()) {
    const Mesh mesh = testing_support::mesh_of(item);
    std::vector<Row> rows;
    for (const sightline::Contact& c : sightline::self_intersections(mesh).contacts)
      rows.push_back({c.a, c.b, static_cast<std::uint32_t>(c.kind)});
    put(out, item.name, mesh, rows);
  }
}

void put_cgal(const std::string& path, std::ostream& out) {
  const Mesh mesh = sightline::read_mesh(path);
  std::vector<Row> rows;
  for (const auto& [a, b] : oracle::cgal_soup(mesh)) rows.push_back({a, b, 0});
  put(out, "mesh", mesh, rows);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool is_corpus = words.size() == 2 && words[0] == "corpus";
  if (!is_corpus && !(words.size() == 3 && words[0] == "cgal")) {
    std::cerr << "usage: sightline_lists corpus OUT | cgal MESH OUT\n";
    return 2;
  }
  std::ofstream out(words.back(), std::ios::binary);
  if (is_corpus)
    put_corpus(out);
  else
    put_cgal(words[1], out);
  return out.flush() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "sightline_lists: " << error.what() << '\n';
  return 1;
}
