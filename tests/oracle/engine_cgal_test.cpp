// The engine against CGAL on meshes past the reach of rationals, where several threads and all levels take part.
#include <gtest/gtest.h>

#include "oracle/cgal.h"
#include "sightline/query.h"
#include "support/compare.h"
#include "support/corpus.h"

namespace {

using namespace testing_support;
using sightline::Contact;

class BigMeshes : public testing::TestWithParam<std::size_t> {};

TEST_P(BigMeshes, AgreeWithCgal) {
  const Mesh mesh = mesh_of(corpus()[GetParam()]);
  const std::vector<MeshView> objects{mesh};
  std::vector<Contact> expected, actual;
  for (const auto& [a, b] : oracle::cgal_soup(mesh)) expected.push_back({0, 0, a, b, {}});
  for (const auto& [a, b] : oracle::among_area(mesh, sightline::self_intersections(mesh).contacts))
    actual.push_back({0, 0, a, b, {}});
  EXPECT_EQ(difference(expected, actual, objects, false), "");
}

INSTANTIATE_TEST_SUITE_P(Corpus, BigMeshes, testing::ValuesIn(corpus_where([](const Item& item) { return item.big; })),
                         [](const auto& info) { return corpus()[info.param].name; });

}  // namespace
