// A small document with contacts of every kind: triangles of two parts with difficult names.
#pragma once

#include <vector>

#include "report/document.h"
#include "sightline/papers.h"

namespace testing_support {

struct Sample {
  Sample() {
    using sightline::Vec3d;
    using sightline::Vec3f;
    // Part 0: 0 lies in z = 0; 1 crosses it; 2 overlaps it in its plane; 3 is 0 again.
    meshes[0].name = "gear \"5,1\"\nline \xff";
    meshes[0].positions = std::vector<Vec3f>{{0, 0, 0}, {4, 0, 0},    {0, 4, 0},    {1, 1, -1},
                                             {1, 1, 1}, {9, 9, 0.1f}, {0.1f, 0, 0}, {4, 0.5f, 0}};
    meshes[0].triangles = {{0, 1, 2}, {3, 4, 5}, {6, 7, 2}, {0, 1, 2}};
    // Part 1: a corner on triangle 0 of part 0.
    meshes[1].name = "räder";
    meshes[1].positions = std::vector<Vec3d>{{1, 0.1, 0}, {1, 0.1, 1}, {2, 0.1, 1}};
    meshes[1].triangles = {{0, 1, 2}};
    for (const sightline::Mesh& mesh : meshes)
      parts.push_back(
          {.file = "some file.obj", .name = mesh.name, .mesh = mesh, .facts = sightline::report::facts(mesh)});
    using sightline::Kind;
    report.contacts = {{0, 0, 0, 1, Kind::crossing},
                       {0, 0, 0, 2, Kind::coplanar},
                       {0, 0, 0, 3, Kind::duplicate},
                       {0, 1, 0, 0, Kind::touching}};
    report.found = 4;
  }
  Sample(const Sample&) = delete;

  sightline::report::Contacts contacts() const { return {parts, report.contacts}; }

  sightline::Mesh meshes[2];
  std::vector<sightline::report::Part> parts;
  sightline::papers::Report report;
};

}  // namespace testing_support
