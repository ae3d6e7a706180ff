#include "report/names.h"

#include <gtest/gtest.h>

#include "report/temporary_folder.h"
#include "support/errors.h"

namespace sightline::report {
namespace {

using testing_support::error_of;
using testing_support::slurp;
using testing_support::spill;
using testing_support::TemporaryFolder;

TEST(ReportOutput, AppearsOnlyWithCommit) {
  const TemporaryFolder folder;
  {
    Output output(folder / "a.txt");
    output.write(std::string(1 << 20, 'x'));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
    output.commit();
    EXPECT_EQ(slurp(folder / "a.txt").size(), 1u << 20);
  }
  EXPECT_EQ(folder.files(), 1u);
}

TEST(ReportOutput, WithoutCommitTheOldFileStays) {
  const TemporaryFolder folder;
  spill(folder / "a.txt", "old");
  { Output(folder / "a.txt").write("new"); }
  EXPECT_EQ(slurp(folder / "a.txt"), "old");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(ReportOutput, FollowsLinks) {
  const TemporaryFolder folder;
  spill(folder / "real.txt", "old");
  std::filesystem::create_symlink(folder / "real.txt", folder / "link.txt");
  Output output(folder / "link.txt");
  output.write("new");
  output.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
  EXPECT_EQ(slurp(folder / "real.txt"), "new");
}

TEST(ReportOutput, ErrorsNamePathAndReason) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "no/such/folder.txt").string();
  EXPECT_EQ(error_of([&] { Output output(missing); }), missing + ": cannot write: No such file or directory");
  EXPECT_EQ(error_of([&] { Output output(folder.path()); }), folder.path().string() + ": cannot write: Is a directory");
  const std::string under_file = (folder / "file/below").string();
  spill(folder / "file", "");
  EXPECT_EQ(error_of([&] { Output output(under_file); }), under_file + ": cannot write: Not a directory");
}

TEST(ReportOutput, FullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const std::string message = error_of([] {
    Output output("/dev/full");
    output.write("x");
    output.commit();
  });
  EXPECT_EQ(message, "/dev/full: cannot write: No space left on device");
}

TEST(ReportOutput, DevicesStayWhatTheyAre) {
  Output output("/dev/null");
  output.write("x");
  output.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(ReportOutput, ItemsComeInOrder) {
  const TemporaryFolder folder;
  Output output(folder / "a.txt");
  const std::size_t count = 300'001;
  write_items(output, count, {.threads = 3}, [](std::size_t begin, std::size_t end, Buffer& bytes) {
    for (std::size_t i = begin; i < end; ++i) print(bytes, "{}\n", i);
  });
  output.commit();
  std::string expected;
  for (std::size_t i = 0; i < count; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(slurp(folder / "a.txt"), expected);
}

TEST(ReportOutput, CancelEndsTheWriting) {
  const TemporaryFolder folder;
  Output output(folder / "a.txt");
  const WriteOptions options = {.threads = 2, .cancel = [] { return true; }};
  EXPECT_THROW(write_items(output, 1, options, [](std::size_t, std::size_t, Buffer&) {}), Cancelled);
  EXPECT_THROW(for_blocks(1, options, [](std::size_t, std::size_t) {}), Cancelled);
}

TEST(ReportOutput, NamesBeside) {
  EXPECT_EQ(beside("a/out.ply", "_segments"), "a/out_segments.ply");
  EXPECT_EQ(beside("out", "_segments"), "out_segments");
}

}  // namespace
}  // namespace sightline::report
