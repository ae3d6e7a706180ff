// Threads read pieces of a text: whatever the pieces, the model is that of one thread, and so is the error.
#include <atomic>

#include "base/float_environment.h"
#include "base/parallel.h"
#include "read/files.h"
#include "read/read_memory.h"
#include "read/text.h"
#include "support/random.h"

namespace sightline::test {
namespace {

using read::Format;
using testing_support::Random;

/// The model in words, or the error.
std::string outcome(const std::string& text, Format format, unsigned threads, std::size_t piece_bytes) {
  const FloatEnvironment environment;
  const read::Source source{.bytes = std::as_bytes(std::span(text)),
                            .file = "file",
                            .stem = "stem",
                            .threads = threads,
                            .piece_bytes = piece_bytes};
  std::string out;
  try {
    const read::Model model = read::read_model(source, format);
    const auto add = [&out](const auto& value) {
      out += little(value);
      out += ' ';
    };
    const auto& points = std::get<std::vector<Vec3d>>(model.positions);
    for (const Vec3d& p : points) add(p);
    out += "; triangles ";
    for (const Triangle& t : model.triangles) add(t);
    out += "; faces ";
    for (const std::uint32_t face : model.faces) add(face);
    for (const read::Run& run : model.runs)
      out += "; run " + std::to_string(run.first_triangle) + " " + std::to_string(run.shape);
    for (const read::Part& part : model.parts) out += "; part " + part.name + " " + std::to_string(part.shape);
  } catch (const Error& error) {
    out = error.what();
  }
  return out;
}

void expect_same(const std::string& text, Format format) {
  const std::string whole = outcome(text, format, 1, text.size() + 1);
  for (const std::size_t bytes : {1, 2, 3, 5, 8, 13, 40, 200, 1000})
    EXPECT_TRUE(outcome(text, format, 3, bytes) == whole) << "pieces of " << bytes << " bytes of\n"
                                                          << text.substr(0, 2000) << "\n"
                                                          << whole.substr(0, 200) << "\n"
                                                          << outcome(text, format, 3, bytes).substr(0, 200);
}

const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(Pieces, EndAfterLinesThatNoBackslashJoins) {
  const std::string text = "a\nbb\\\ncc\\\r\nd\r\n\ne\\\n\\";
  for (std::size_t bytes = 1; bytes < 30; ++bytes) {
    std::string joined;
    for (const std::string_view piece : read::line_pieces(text, bytes)) {
      EXPECT_FALSE(piece.empty());
      joined += piece;
      if (joined.size() == text.size()) break;
      EXPECT_TRUE(piece.ends_with('\n')) << bytes;
      EXPECT_FALSE(piece.ends_with("\\\n") || piece.ends_with("\\\r\n")) << bytes;
    }
    EXPECT_EQ(joined, text) << bytes;
  }
  EXPECT_TRUE(read::line_pieces("", 1).empty());
}

TEST(Pieces, Obj) {
  for (const std::string& text : {
           kSquare + "f 1 2 3\nf 1/1 3/2/3 4//4\n",
           "f 1 2 3\n" + kSquare + "f -4 -3 -1\n" + kSquare + "f -1 -2 -8\nf -1 -2 -3 -4\nf 1 -1 2",
           std::string("\xEF\xBB\xBFmtllib x.mtl\r\nv 0.1 0 0 1.0\r\nv 1 0 0 0.5\r\n\tv  1 1 0 1 # c\\\r\nvn 0 0 1\r\n"
                       "v 0 \\\r\n 1 \\\r\n0\r\ns off\r\nusemtl a\r\nf 1 2 \\\r\n3 4\\\r\n\r\nl 1 2\r\np 1\r\n"),
           std::string("v 0 0 0\rv 1 0 0\rv 1 1 0\rf 1 2 3"),
           kSquare + "f 1 2 3\no lid\nf 1 2 4\no box\nf 2 3 4\ng empty\ng side\nf 2 4 3\no lid\nf 1 3 4\n",
           kSquare + "o name \\\nf 1 2 3\n#\\\nf 1 2 4\ng\\\n x\nf 1 3 4\n",
           kSquare + "# " + std::string(3000, 'x') + "\nf 1 2 3 4 # " + std::string(2000, 'y'),
           kSquare + "f 1 2 9\nf 1 2 3\n",
           kSquare + "f 1 2 9\nf 1 2 3\n" + kSquare + kSquare,
           kSquare + "f 1 2 3\nf 1 -5 2\n",
           kSquare + "f 1 2 3\nf 1 -4 2\n",
           kSquare + "f 1 2 3\nf 1 2 0\nf 1 2 x\n",
           kSquare + "f 1 2 99999999999999999999\n",
           kSquare + "f 1 2 -99999999999\n",
           kSquare + "f 1 2\nv 1 2\n",
           kSquare + "\n\nv 1 2 -1e+400\n",
           kSquare + "surf 0 1 0 1 1 2 3\n",
           std::string("\xEF\xBB\xBF"),
           std::string("#\n\n\n"),
       })
    expect_same(text, Format::obj);
}

TEST(Pieces, Off) {
  const std::string vertices = "0.1 0 0\n1 0 0\n1 1 0\n0 1 0\n", faces = "3 0 1 2\n3 0 2 3\n";
  for (const std::string& text : {
           "OFF\n4 2 5\n" + vertices + faces,
           "OFF 4 2 0\n" + vertices + "3 0 1 2\n3 0 2 3",
           "OFF 4 2 0 # c\n\n" + vertices + faces + "\n\n # end \n",
           "OFF 4 2 0 0.1 0 0\n1 0 0\n1 1 0\n0 1 0\n" + faces,
           "OFF\n4 2 0\n# x\n" + vertices + "# y\n" + faces,
           "OFF\n4 2 0\n0.1 0 0\n\n1 0 0\n1 1 0\n0 1 0\n" + faces,
           std::string("OFF\n4 2 0\n0.1 0\n0\n1 0 0 1 1 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0\n2 3\n"),
           std::string("OFF\n4 2 0\n0.1 0 0 1 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 3 0 2 3\n4 0 1 2 3\n"),
           std::string("COFF\r\n4 2 0\r\n0.1 0 0 255\r\n1 0 0\r\n1 1 0\r\n0 1 0\r\n3 0 1 2 # a\r\n4 0 1 2 3 255\r\n"),
           std::string("OFF\r4 2 0\r0.1 0 0\r1 0 0\r1 1 0\r0 1 0\r3 0 1 2\r3 0 2 3\r"),
           std::string("OFF\n4 2 0\n0.1 0 0\r1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"),
           "OFF\n4 2 0\n" + vertices + "3 0 1 2\n",
           "OFF\n4 2 0\n" + vertices + "3 0 1 2\n2 0 1\n",
           "OFF\n4 2 0\n" + vertices + "3 0 1 4\n3 0 1 x\n",
           "OFF\n4 2 0\n" + vertices + "3 0 1 2\n4000000000 0 1 2\n",
           "OFF\n4 1 0\n" + vertices + faces,
           "OFF\n4 2 0\n0 0 inf\n" + vertices + faces,
           "OFF\n4 2 0\n" + vertices + "3 0 1 2 " + std::string(3000, '7') + "\n3 0 2 3\n",
       })
    expect_same(text, Format::off);
}

/// A long text of either format with line ends, comments and faults of all kinds.
std::string drawn(Random& random, bool obj) {
  const int vertices = 3 + random.below(30), faces = 1 + random.below(40);
  const double odd = random.chance(0.5) ? 0 : 0.03;  // files with nothing unusual go through all pieces
  const std::string end = random.chance(0.3) ? "\r\n" : "\n";
  std::string text = obj ? "" : "OFF" + end + std::to_string(vertices) + " " + std::to_string(faces) + " 0" + end;
  const auto finish_line = [&] {
    if (random.chance(odd)) text += " # note \\";
    if (random.chance(odd)) text += end;
    if (random.chance(odd)) text += obj ? " \\" + end : " 1 2";
    text += random.chance(odd * 0.2) ? "\r" : end;
  };
  for (int i = 0; i < vertices; ++i) {
    if (obj) text += "v";
    for (int axis = 0; axis < 3; ++axis) {
      text += (axis > 0 || obj ? " " : "") + std::to_string(random.in(-9, 9));
      if (random.chance(odd * 0.1)) text += obj ? "\\" + end : end;
    }
    finish_line();
  }
  for (int i = 0; i < faces; ++i) {
    const int corners = random.chance(0.8) ? 3 : 3 + random.below(4);
    if (obj && random.chance(0.1)) text += (random.chance(0.5) ? "o n" : "g n") + std::to_string(random.below(4)) + end;
    text += obj ? "f" : std::to_string(corners);
    for (int k = 0; k < corners; ++k) {
      const int index = random.below(vertices + (random.chance(odd * 0.2) ? 2 : 0));
      text += " " + std::to_string(!obj ? index : random.chance(0.3) ? index - vertices : index + 1);
    }
    finish_line();
  }
  if (random.chance(odd))
    text[static_cast<std::size_t>(random.below(static_cast<int>(text.size())))] = "\n\\#x-/ "[random.below(7)];
  if (random.chance(0.2)) text.pop_back();
  return text;
}

TEST(Pieces, DrawnTexts) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    expect_same(drawn(random, true), Format::obj);
    expect_same(drawn(random, false), Format::off);
  }
}

// More text than one piece of the usual size, through files.
TEST(Pieces, LargeFiles) {
  const Folder folder;
  std::string obj, off = "OFF\n60000 59998 0\n";
  for (int i = 0; i < 60'000; ++i) {
    const std::string point =
        std::to_string(i * 0.1) + " " + std::to_string(i % 97) + " " + std::to_string(i % 89) + "\n";
    obj += "v " + point;
    off += point;
    if (i >= 2)
      obj += i % 2 == 0 ? "f -1 -2 -3\n"
                        : "f " + std::to_string(i + 1) + " " + std::to_string(i) + " " + std::to_string(i - 1) + "\n";
  }
  for (int i = 2; i < 60'000; ++i)
    off += "3 " + std::to_string(i) + " " + std::to_string(i - 1) + " " + std::to_string(i - 2) + "\n";
  const Mesh one = read_mesh(folder.write("a.obj", obj), 1);
  for (const unsigned threads : {2u, 5u}) {
    const Mesh many = read_mesh(folder.path() / "a.obj", threads),
               other = read_mesh(folder.write("a.off", off), threads);
    EXPECT_TRUE(points(many) == points(one) && many.triangles == one.triangles) << threads;
    EXPECT_TRUE(points(other) == points(one) && other.triangles == one.triangles) << threads;
  }
}

// Every format whose readers have loops over elements; polls are at most a few thousand elements apart.
TEST(Pieces, ACancelEndsTheReading) {
  constexpr int kTriangles = 60'000;
  const Folder folder;
  Mesh mesh;
  std::vector<Vec3f> corners;
  std::string ascii_stl = "solid\n", ascii_ply = "ply\nformat ascii 1.0\nelement vertex 60002\n";
  for (const char* axis : {"x", "y", "z"}) ascii_ply += "property float " + std::string(axis) + "\n";
  ascii_ply += "element face 60000\nproperty list uchar int vertex_indices\nend_header\n";
  for (int i = 0; i < kTriangles + 2; ++i) {
    corners.push_back({static_cast<float>(i), static_cast<float>(i % 97), static_cast<float>(i % 89)});
    ascii_ply += std::to_string(i) + " " + std::to_string(i % 97) + " " + std::to_string(i % 89) + "\n";
  }
  for (std::uint32_t i = 0; i < kTriangles; ++i) {
    mesh.triangles.push_back({i, i + 1, i + 2});
    ascii_ply += "3 " + std::to_string(i) + " " + std::to_string(i + 1) + " " + std::to_string(i + 2) + "\n";
    ascii_stl += "facet normal 0 0 1\nouter loop\n";
    for (const char* z : {"0", "1", "2"}) ascii_stl += "vertex " + std::to_string(i) + " 0 " + z + "\n";
    ascii_stl += "endloop\nendfacet\n";
  }
  mesh.positions = corners;
  std::vector<std::filesystem::path> paths = {folder.write("ascii.stl", ascii_stl + "endsolid\n"),
                                              folder.write("ascii.ply", ascii_ply)};
  for (const char* name : {"a.obj", "a.off", "a.ply", "a.stl"})
    write_mesh(paths.emplace_back(folder.path() / name), mesh);
  for (const std::filesystem::path& path : paths)
    for (const unsigned threads : {1u, 3u}) {
      SCOPED_TRACE(path.string() + ", threads " + std::to_string(threads));
      std::atomic<int> polls{0};
      int end = -1;
      const ReadOptions options{.threads = threads, .cancel = [&] { return polls++ == end; }};
      EXPECT_EQ(read_mesh(path, options).triangles.size(), std::size_t{kTriangles});
      const bool is_binary = path.filename() == "a.ply" || path.filename() == "a.stl";  // blocks of 32768 records
      const int all = polls;
      EXPECT_GE(all, is_binary ? 2 : kTriangles / 2048);
      for (const int at : {0, 1, all / 3, all - 1}) {
        polls = 0;
        end = at;
        try {
          read_mesh(path, options);
          ADD_FAILURE() << "cancelled at poll " << at << " of " << all << ", and read to the end";
        } catch (const Error& error) {
          EXPECT_STREQ(error.what(), "cancelled");
        }
      }
    }
}

}  // namespace
}  // namespace sightline::test
