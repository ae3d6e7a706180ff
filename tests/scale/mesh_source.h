// A mesh in memory as a source of triangles, and an out-of-core answer in a form that can be compared.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <vector>

#include "parts/huge.h"
#include "report/temporary_folder.h"
#include "sightline/query.h"

namespace sightline::test {

class MeshSource : public TriangleSource {
 public:
  explicit MeshSource(const Mesh& mesh) : mesh_(mesh) {}
  std::string file() const override { return "memory"; }
  std::string name() const override { return mesh_.name; }
  std::uint64_t size() const override { return mesh_.triangles.size(); }
  bool is_double() const override { return std::holds_alternative<std::vector<Vec3d>>(mesh_.positions); }
  void read(std::uint64_t first, std::span<CornersF> to) override { copy(std::get<0>(mesh_.positions), first, to); }
  void read(std::uint64_t first, std::span<CornersD> to) override { copy(std::get<1>(mesh_.positions), first, to); }

  std::uint64_t reads = 0;

 private:
  template <typename Points, typename To>
  void copy(const Points& points, std::uint64_t first, To to) {
    ++reads;
    for (std::size_t i = 0; i < to.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) to[i][k] = points[mesh_.triangles[first + i][k]];
  }
  const Mesh& mesh_;
};

/// All that is promised to be equal, as text; points bit for bit.
class Answer {
 public:
  static std::string in_core(const Mesh& mesh, std::uint64_t first_number = 0) {
    Answer answer;
    const Topology t = topology(mesh);
    answer.facts({mesh.triangles.size(), t.vertices, t.components, t.open_edges, t.nonmanifold_edges, t.duplicates,
                  t.degenerate.size()},
                 t.closed());
    for (const std::uint32_t i : t.degenerate) answer.add("degenerate", {first_number + i});
    for (const Contact& contact : self_intersections(mesh).contacts)
      answer.contact(first_number + contact.a, first_number + contact.b, contact.kind, intersection(mesh, contact));
    return answer.text_;
  }
  static std::string of(const HugeReport& report) {
    Answer answer;
    const HugeFacts& f = report.facts;
    answer.facts({f.triangles, f.vertices, f.components, f.open_edges, f.nonmanifold_edges, f.duplicates, f.degenerate},
                 f.closed());
    report.for_degenerate([&](std::uint64_t i) {
      answer.add("degenerate", {i});
      return true;
    });
    std::uint64_t counts[kKindCount] = {}, found = 0;
    report.for_contacts([&](const HugeContact& contact) {
      answer.contact(contact.a, contact.b, contact.kind, contact.geometry);
      ++counts[static_cast<int>(contact.kind)], ++found;
      return true;
    });
    EXPECT_EQ(found, report.found);
    for (int kind = 0; kind < kKindCount; ++kind) EXPECT_EQ(counts[kind], report.counts[kind]);
    return answer.text_;
  }

 private:
  void facts(std::initializer_list<std::uint64_t> numbers, bool closed) {
    add(closed ? "facts, closed" : "facts, open", numbers);
  }
  void contact(std::uint64_t a, std::uint64_t b, Kind kind, const Intersection& geometry) {
    add(to_string(kind), {a, b});
    for (const Vec3d& p : geometry.points())
      add(" ",
          {std::bit_cast<std::uint64_t>(p[0]), std::bit_cast<std::uint64_t>(p[1]), std::bit_cast<std::uint64_t>(p[2])});
  }
  void add(std::string_view what, std::initializer_list<std::uint64_t> numbers) {
    text_ += what;
    for (const std::uint64_t number : numbers) text_ += ' ', text_ += std::to_string(number);
    text_ += '\n';
  }
  std::string text_;
};

/// The first line that differs, with both versions; empty if none does.
inline std::string first_difference(const std::string& expected, const std::string& actual) {
  if (expected == actual) return "";
  std::size_t line = 0, i = 0;
  for (; i < std::min(expected.size(), actual.size()) && expected[i] == actual[i]; ++i)
    if (expected[i] == '\n') line = i + 1;
  const auto from = [line](const std::string& text) { return text.substr(line, text.find('\n', line) - line); };
  return "expected: " + from(expected) + "\nactual:   " + from(actual);
}

inline HugeReport out_of_core(const Mesh& mesh, const scale::HugeTuning& tuning, unsigned threads = 1,
                              const std::filesystem::path& scratch = {}) {
  MeshSource source(mesh);
  return scale::self_intersections(source, {.memory = std::uint64_t{16} << 20, .scratch = scratch, .threads = threads},
                                   tuning);
}

}  // namespace sightline::test
