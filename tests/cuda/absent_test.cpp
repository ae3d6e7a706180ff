// What must hold with and without a GPU: errors that name what is missing, and never an answer of the CPU instead.
#include <gtest/gtest.h>

#include "cuda/gpu.h"

namespace testing_support {
namespace {

using sightline::Device;

bool usable() {
  return error_of([] { Device::cuda(); }).empty();
}

TEST(CudaDevice, IsThereOrSaysWhatIsMissing) {
  const std::string error = error_of([] { EXPECT_EQ(Device::cuda().type(), Device::Type::cuda); });
  if (error.empty()) return;
  if (error != "cuda: built without CUDA") {
    EXPECT_TRUE(error.starts_with("cuda: no CUDA device is visible: ")) << error;
    EXPECT_GT(error.size(), 40u) << "CUDA's own words are missing";
  }
  // The same words each time, and from every door.
  EXPECT_EQ(error_of([] { Device::cuda(); }), error);
  EXPECT_EQ(error_of([] { sightline::cuda::Query query; }), error);
}

TEST(CudaDevice, BestChooses) {
  EXPECT_EQ(Device::best().type(), usable() ? Device::Type::cuda : Device::Type::cpu);
  EXPECT_EQ(Device::best().number(), 0);
}

TEST(CudaDevice, Names) {
  EXPECT_EQ(to_string(Device::cpu().type()), "cpu");
  EXPECT_EQ(to_string(Device::best().type()), usable() ? "cuda" : "cpu");
}

TEST(CudaDevice, TheCpuIsTheDefaultAndSaysSo) {
  const Mesh mesh = corpus_item("cubes").make();
  const sightline::Report report = sightline::self_intersections(mesh);
  EXPECT_EQ(report.stats.device, "cpu");
  EXPECT_EQ(sightline::self_intersections(mesh, {}, Device::cpu()).contacts, report.contacts);
}

TEST(CudaDevice, BestAnswersAsTheCpuDoes) {
  const Mesh mesh = corpus_item("lattice").make();
  EXPECT_EQ(sightline::self_intersections(mesh, {}, Device::best()).contacts,
            sightline::self_intersections(mesh).contacts);
}

}  // namespace
}  // namespace testing_support
