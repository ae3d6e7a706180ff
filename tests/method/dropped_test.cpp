// MethodOptions::record_dropped: every triangle is dropped by one pass or left at the end, in the numbers that the
// passes report.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "method/run.h"
#include "scenes/scenes.h"

namespace {

using namespace sightline;
using papers::MethodName;
using papers::MethodReport;
using papers::Report;
using papers::TriangleRef;
using papers::method::MethodSettings;

Report run(MethodName method, bool record) {
  const std::vector<Mesh> meshes = {scenes::torus(600), scenes::torus(600, {1.2, 0.1, 0.3}),
                                    scenes::sphere(320, {9, 0, 0})};
  Scene scene;
  for (const Mesh& mesh : meshes) scene.add(mesh, {.self = method == MethodName::self_cullide});
  MethodSettings options;
  for (int i = 0; i < 3; ++i)
    options.paper.motions.push_back(papers::Motion{.center = {1.0 * i, 0, 0}, .velocity = {i == 0 ? 1.0 : -1.0, 0, 0}});
  options.method = method;
  options.paper.record_dropped = record;
  if (method == MethodName::velocity) options.paper.then = MethodName::cullide;
  return papers::method::run(scene, options);
}

class Dropped : public testing::TestWithParam<MethodName> {};

TEST_P(Dropped, EveryTriangleIsDroppedOnceOrLeft) {
  const Report report = run(GetParam(), true);
  const MethodReport& how = report.method;
  std::set<TriangleRef> seen(how.pcs.begin(), how.pcs.end());
  std::map<std::uint32_t, std::uint64_t> by_pass;
  for (const sightline::papers::Dropped& d : how.dropped) {
    EXPECT_TRUE(seen.insert(d.triangle).second) << d.triangle.object << " " << d.triangle.triangle << " twice";
    ASSERT_LT(d.pass, how.passes.size());
    ++by_pass[d.pass];
  }
  EXPECT_EQ(seen.size(), report.stats.triangles);
  for (std::uint32_t i = 0; i < how.passes.size(); ++i)
    EXPECT_EQ(by_pass[i], how.passes[i].pcs_before - how.passes[i].pcs_after)
        << "pass " << i << ", " << how.passes[i].level;
}

TEST_P(Dropped, OnlyIfAskedForAndWithoutAnyOtherChange) {
  const Report with = run(GetParam(), true), without = run(GetParam(), false);
  EXPECT_TRUE(without.method.dropped.empty());
  EXPECT_EQ(with.contacts, without.contacts);
  EXPECT_EQ(with.method.pcs, without.method.pcs);
}

INSTANTIATE_TEST_SUITE_P(Methods, Dropped,
                         testing::Values(MethodName::cullide, MethodName::quick_cullide, MethodName::self_cullide,
                                         MethodName::velocity),
                         [](const auto& info) {
                           std::string name(to_string(info.param));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
