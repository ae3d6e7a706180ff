// CULLIDE and Quick-CULLIDE against the exact engine: conservative precision loses nothing, image precision invents
// nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "method/run_method.h"
#include "scenes/scenes.h"
#include "support/sizes.h"

namespace testing_support {
namespace {

constexpr MethodName kBoth[] = {MethodName::cullide, MethodName::quick_cullide};

/// The engine's list, or nothing where coordinates are beyond what an image can be made of.
bool loses_nothing(const Objects& objects, const Report& expected, const MethodSettings& options) {
  std::vector<MeshView> meshes = views(objects.meshes);
  try {
    const Report report = collide(objects, options);
    EXPECT_EQ(difference(expected.contacts, report, meshes), "");
    EXPECT_FALSE(report.method.can_miss);
    return report.contacts == expected.contacts;
  } catch (const sightline::Error& error) {
    EXPECT_NE(std::string(error.what()).find("too large for an image"), std::string::npos) << error.what();
    return true;
  }
}

std::string description(const Objects& objects, const MethodSettings& options) {
  return objects.name + ", " + std::string(to_string(options.method)) + ", resolution " +
         std::to_string(*options.paper.resolution) + ", depth " + std::string(to_string(options.paper.depth)) + ", " +
         std::to_string(options.paper.views.size()) + " views, " + std::to_string(options.threads) + " threads, " +
         (options.paper.back_to_front ? "back to front" : "in order") +
         (options.paper.object_level ? ", objects first" : "") + (options.paper.patches ? "" : ", no patches");
}

/// MethodSettings that count through everything which must not matter.
MethodSettings conservative(MethodName method, std::size_t how) {
  constexpr unsigned kResolutions[] = {4, 16, 64, 256, 1024};
  MethodSettings options = with(method, Precision::conservative, kResolutions[how % 5]);
  options.paper.views = some_views(how / 2);
  options.paper.depth = static_cast<sightline::papers::DepthBits>(how % 4);
  options.paper.back_to_front = how % 3 != 0;
  options.paper.random_hierarchy = how % 7 == 0;
  options.paper.object_level = how % 4 == 1;
  options.paper.patches = how / 4 % 2 == 0;
  options.threads = 1 + how % 2;
  return options;
}

TEST(Cullide, ConservativeEqualsTheExactListOnTheCorpus) {
  std::size_t how = 0;
  for (const Item& item : corpus()) {
    if (item.big || item.wide) continue;
    const Mesh mesh = mesh_of(item);
    for (int round = 0; round < 2; ++round) {
      const Objects objects = arranged(item.name, mesh, how / 3 + 2 * round);
      const Report expected = collide(objects);
      for (const MethodName method : kBoth) {
        const MethodSettings options = conservative(method, how++);
        SCOPED_TRACE(description(objects, options));
        loses_nothing(objects, expected, options);
      }
      how += 3;
    }
  }
}

TEST(Cullide, ConservativeEqualsTheExactListOnScenesOfObjects) {
  const std::vector<Objects> scenes = {
      {"spheres", sightline::scenes::spheres(20, 80), Objects::none},
      {"cubes", sightline::scenes::cubes_in_contact(3), Objects::none},
      {"two objects", sightline::scenes::two_objects(900, 400), Objects::none},
      {"spheres by themselves", sightline::scenes::spheres(6, 80), Objects::all},
      {"spheres, one by itself", sightline::scenes::spheres(12, 80), Objects::first},
  };
  for (const Objects& objects : scenes) {
    const Report expected = collide(objects);
    EXPECT_GT(expected.contacts.size(), 0u);
    for (std::size_t how = 0; how < smaller<std::size_t>(20, 4); ++how)
      for (const MethodName method : kBoth) {
        const MethodSettings options = conservative(method, how);
        SCOPED_TRACE(description(objects, options));
        if (!loses_nothing(objects, expected, options)) return;
      }
  }
}

TEST(Cullide, LargestAndSmallestImages) {
  const Objects objects = {"spheres", sightline::scenes::spheres(6, 80), Objects::none};
  const Report expected = collide(objects);
  for (const MethodName method : kBoth)
    for (const unsigned resolution : {1u, 2u, 3u, 4096u, smaller(16384u, 4u)}) {
      MethodSettings options = with(method, Precision::conservative, resolution);
      if (resolution >= 4096) options.paper.views = {View{}};
      SCOPED_TRACE(description(objects, options));
      loses_nothing(objects, expected, options);
    }
}

TEST(Cullide, ImagePrecisionInventsNothing) {
  std::size_t how = 0;
  for (const char* name : {"two_tori", "cloth", "scenes_uniform", "scenes_lattice", "scenes_cubes", "scenes_needles"}) {
    const Mesh mesh = mesh_of(corpus_item(name));
    for (int round = 0; round < 2; ++round, ++how) {
      const Objects objects = arranged(name, mesh, how);
      const Report expected = collide(objects);
      for (const MethodName method : kBoth) {
        MethodSettings options = conservative(method, how);
        options.paper.precision = Precision::image;
        options.paper.resolution = 256;
        const Report report = collide(objects, options);
        SCOPED_TRACE(description(objects, options));
        EXPECT_TRUE(report.method.can_miss);
        EXPECT_TRUE(std::includes(expected.contacts.begin(), expected.contacts.end(), report.contacts.begin(),
                                  report.contacts.end()));
      }
    }
  }
}

Mesh triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  Builder builder;
  builder.triangle(a, b, c);
  return builder.mesh();
}

TEST(Cullide, FewTrianglesAndDegenerateOnes) {
  const Mesh flat = triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  const Mesh point = triangle({0.25, 0.25, 0}, {0.25, 0.25, 0}, {0.25, 0.25, 0});
  const Mesh segment = triangle({0.25, 0.25, -1}, {0.25, 0.25, 1}, {0.25, 0.25, 0});
  const Mesh overlapping = triangle({0.1, 0.1, 0}, {2, 0.1, 0}, {0.1, 2, 0});
  const std::vector<Objects> scenes = {
      {"nothing", {}, Objects::none},
      {"one triangle", {flat}, Objects::none},
      {"one triangle by itself", {flat}, Objects::all},
      {"a point in a triangle", {flat, point}, Objects::none},
      {"two points", {point, point}, Objects::none},
      {"a segment through a triangle", {segment, flat}, Objects::all},
      {"identical objects", {flat, flat, flat}, Objects::none},
      {"coplanar objects", {flat, overlapping}, Objects::none},
      {"an empty object between", {flat, Mesh{}, overlapping}, Objects::none},
      {"identical bodies", {sightline::scenes::sphere(80), sightline::scenes::sphere(80)}, Objects::none},
  };
  for (const Objects& objects : scenes) {
    const Report expected = collide(objects);
    for (std::size_t how = 0; how < 10; ++how)
      for (const MethodName method : kBoth) {
        MethodSettings options = conservative(method, how);
        SCOPED_TRACE(description(objects, options));
        loses_nothing(objects, expected, options);
        options.paper.precision = Precision::image;
        EXPECT_LE(collide(objects, options).contacts.size(), expected.contacts.size());
      }
  }
}

TEST(Cullide, ObjectsApartLeaveAtTheFirstLevel) {  // by their boxes, or by the image of whole objects
  const std::vector<Mesh> apart = {sightline::scenes::sphere(80), sightline::scenes::sphere(80, {3, 0, 0}),
                                   sightline::scenes::sphere(80, {0, 3, 0})};
  MethodSettings options = with(MethodName::cullide, Precision::conservative, 64);
  for (const bool object_level : {true, false}) {
    options.paper.object_level = object_level;
    const Report report = collide({"apart", apart, Objects::none}, options);
    EXPECT_TRUE(report.method.pcs.empty());
    for (const sightline::papers::Pass& pass : report.method.passes)
      EXPECT_EQ(pass.level, object_level ? "object" : "boxes");
    EXPECT_EQ(report.method.pairs_tested, 0u);
  }
}

/// An object that is clear has clear patches only, and a patch clear triangles: however often each level is repeated.
/// But what is drawn after the sweep over boxes is less, so that no more can be left.
TEST(Cullide, WholeObjectsFirstLeaveNoFewer) {
  const Objects objects = {"spheres", sightline::scenes::spheres(40, 320), Objects::none};
  const auto rounds = [](const Report& report) {
    std::uint32_t most = 0;
    for (const sightline::papers::Pass& pass : report.method.passes)
      if (pass.level == "sub-object") most = std::max(most, pass.iteration + 1);
    return most;
  };
  for (const MethodName method : kBoth)
    for (const Precision precision : {Precision::image, Precision::conservative}) {
      MethodSettings options = with(method, precision, 128);
      const Report patches = collide(objects, options);
      EXPECT_GT(patches.method.pcs.size(), 0u);
      options.paper.object_level = true;
      const Report whole = collide(objects, options);
      EXPECT_EQ(rounds(patches), 1u);
      if (method == MethodName::cullide) {
        EXPECT_TRUE(std::includes(whole.method.pcs.begin(), whole.method.pcs.end(), patches.method.pcs.begin(),
                                  patches.method.pcs.end()));
        EXPECT_GT(rounds(whole), 1u);
      }
      EXPECT_EQ(whole.contacts, patches.contacts);
      EXPECT_NE(whole.method.passes.front().level, patches.method.passes.front().level);
    }
}

/// The passes of the preset: each level once for each view, and no level of ours.
TEST(Cullide, AsPublishedDrawsObjectsAndThenTrianglesOnceForEachView) {
  const Objects objects = {"spheres", sightline::scenes::spheres(40, 320), Objects::none};
  for (const MethodName method : kBoth) {
    SCOPED_TRACE(to_string(method));
    MethodSettings options;
    options.method = method;
    options.paper = sightline::papers::method::as_published(method);
    EXPECT_EQ(options.paper.precision, Precision::image);
    EXPECT_EQ(options.paper.resolution, 4096u);
    EXPECT_TRUE(options.paper.back_to_front);
    options.paper.resolution = 256;
    const Report report = collide(objects, options);
    ASSERT_GT(report.method.pcs.size(), 0u);
    std::vector<std::string> levels, expected = {"object", "object", "object"};
    if (method == MethodName::quick_cullide) expected.push_back("boxes");
    expected.insert(expected.end(), {"triangle", "triangle", "triangle"});
    for (const sightline::papers::Pass& pass : report.method.passes) {
      levels.emplace_back(pass.level);
      EXPECT_EQ(pass.iteration, 0u);
    }
    EXPECT_EQ(levels, expected);
    options.paper.object_level = false;  // triangles at once
    for (const sightline::papers::Pass& pass : collide(objects, options).method.passes)
      EXPECT_EQ(pass.level, "triangle");
  }
}

/// One round leaves what the first round of many leaves, in both orders of drawing.
TEST(Cullide, OneRoundIsTheFirstOfMany) {
  const Objects objects = {"cloth", {sightline::scenes::crumpled_cloth(3000)}, Objects::all};
  for (const MethodName method : kBoth)
    for (const bool back_to_front : {true, false}) {
      MethodSettings options = with(method, Precision::image, 512);
      options.paper.views = {View{{-1, 0, 0}}, View{{0, 0, -1}}};
      options.paper.back_to_front = back_to_front;
      options.paper.patches = false;
      const Report all = collide(objects, options);
      options.paper.rounds = 1;
      const Report one = collide(objects, options);
      ASSERT_EQ(one.method.passes.size(), 2u);
      ASSERT_GT(all.method.passes.size(), 2u);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(one.method.passes[i].pcs_after, all.method.passes[i].pcs_after);
        EXPECT_EQ(one.method.passes[i].queries, all.method.passes[i].queries);
      }
      EXPECT_GT(one.method.pcs.size(), all.method.pcs.size());
    }
}

TEST(Cullide, WhoIsLeftDoesNotDependOnTheOrderOfDrawing) {
  const Objects objects = {"spheres", sightline::scenes::spheres(20, 80), Objects::none};
  for (const Precision precision : {Precision::image, Precision::conservative}) {
    MethodSettings options = with(MethodName::cullide, precision, 128);
    const Report ordered = collide(objects, options);
    options.paper.back_to_front = false;
    EXPECT_EQ(collide(objects, options).method.pcs, ordered.method.pcs);
  }
}

}  // namespace
}  // namespace testing_support
