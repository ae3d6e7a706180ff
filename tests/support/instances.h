// Scenes of instances: a few shapes, many objects that place them, groups that want some pairs of objects and not others.
#pragma once

#include <vector>

#include "sightline/query.h"
#include "support/corpus.h"
#include "support/random.h"

namespace testing_support {

using sightline::ObjectOptions;
using sightline::Transform;

struct Instances {
  struct Object {
    std::size_t shape;
    Transform transform;
    ObjectOptions options;
  };
  std::vector<Mesh> shapes;
  std::vector<Object> objects;

  MeshView view(std::size_t i) const { return shapes[objects[i].shape].view().placed(objects[i].transform); }
  std::vector<MeshView> views() const {
    std::vector<MeshView> all;
    for (std::size_t i = 0; i < objects.size(); ++i) all.push_back(view(i));
    return all;
  }
  /// Each object as a mesh of its own. The arithmetic is written out here once more, not taken from the library.
  std::vector<Mesh> expanded() const {
    std::vector<Mesh> all;
    for (const Object& object : objects)
      all.push_back(transformed(shapes[object.shape], [&](const Vec3d& p) {
        Vec3d q;
        for (int k = 0; k < 3; ++k) {
          const auto& row = object.transform.rows[k];
          const double x = row[0] * p[0], y = row[1] * p[1], z = row[2] * p[2];
          const double xy = x + y, xyz = xy + z;
          q[k] = xyz + row[3];
        }
        return q;
      }));
    return all;
  }
  /// Contacts of the pairs of objects that are wanted, out of all contacts.
  std::vector<sightline::Contact> wanted_of(const std::vector<sightline::Contact>& all) const {
    std::vector<sightline::Contact> some;
    for (const sightline::Contact& c : all)
      if (c.object_a == c.object_b ? objects[c.object_a].options.self
                                   : wanted(objects[c.object_a].options, objects[c.object_b].options))
        some.push_back(c);
    return some;
  }
};

/// Rotations, mirrors, scales and shears within a box of side `room`; some of float32 shapes, some of double.
inline Instances random_instances(std::uint64_t seed, int count, double room, bool groups) {
  Random random(seed);
  Instances scene;
  for (const char* name : {"torus", "cubes", "cloth"}) {
    scene.shapes.push_back(corpus_item(name).make());
    scene.shapes.push_back(as_float(scene.shapes.back()));
  }
  for (int i = 0; i < count; ++i) {
    Transform t;
    for (auto& row : t.rows) {
      for (int k = 0; k < 3; ++k) row[k] = random.in(-1, 1);
      row[3] = random.in(0, room);
    }
    if (random.chance(0.2)) t = Transform::translation({random.in(0, room), random.in(0, room), random.in(0, room)});
    if (random.chance(0.1)) t = {};
    ObjectOptions options{.self = random.chance(0.3)};
    if (groups) {
      options.groups = 1u << random.below(4);
      options.collides_with = static_cast<std::uint32_t>(random.below(16)) | (random.chance(0.2) ? ~0u : 0u);
    }
    scene.objects.push_back({static_cast<std::size_t>(random.below(static_cast<int>(scene.shapes.size()))), t, options});
  }
  return scene;
}

}  // namespace testing_support
