// open_triangles and read_mesh: the same triangles bit for bit, and the same errors.
#include <cstring>

#include "read/files.h"
#include "scale/mesh_source.h"
#include "scenes/scenes.h"
#include "sightline/io.h"
#include "support/corpus.h"
#include "support/random.h"
#include "support/sizes.h"

namespace sightline::test {
namespace {

using testing_support::Random;

template <typename Corners>
std::string bytes_of(TriangleSource& source) {
  std::vector<Corners> all(source.size());
  // In pieces of several sizes.
  for (std::size_t first = 0, step = 1; first < all.size(); first += step, step = step * 3 + 1) {
    step = std::min(step, all.size() - first);
    source.read(first, std::span(all).subspan(first, step));
  }
  source.rest();
  Corners again;
  for (const std::size_t i : {all.size() / 2, std::size_t{0}, all.size() - 1}) {
    source.read(i, std::span(&again, 1));
    EXPECT_EQ(std::memcmp(&again, &all[i], sizeof again), 0) << i;
  }
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Corners)};
}

/// The name, the type and all corners as bytes; or the error.
std::string streamed(const std::filesystem::path& path, std::uint64_t memory, unsigned threads) {
  try {
    const auto source = open_triangles(path, {.memory = memory, .threads = threads});
    return source->name() +
           (source->is_double() ? " f64 " + bytes_of<CornersD>(*source) : " f32 " + bytes_of<CornersF>(*source));
  } catch (const Error& error) {
    return error.what();
  }
}

std::string whole(const std::filesystem::path& path) {
  try {
    const Mesh mesh = read_mesh(path);
    MeshSource source(mesh);
    return mesh.name +
           (source.is_double() ? " f64 " + bytes_of<CornersD>(source) : " f32 " + bytes_of<CornersF>(source));
  } catch (const Error& error) {
    return error.what();
  }
}

void expect_same(const std::filesystem::path& path, const std::string& what) {
  const std::string expected = whole(path);
  for (const std::uint64_t memory : {std::uint64_t{1} << 10, std::uint64_t{1} << 16, std::uint64_t{1} << 26})
    for (const unsigned threads : {1u, 3u}) {
      const std::string actual = streamed(path, memory, threads);
      ASSERT_TRUE(actual == expected) << what << ", memory " << memory << ", " << threads << " threads\n"
                                      << expected.substr(0, 200) << "\n"
                                      << actual.substr(0, 200);
    }
}

class Stream : public ReadTest {};

std::string ply_header(const std::string& format, std::size_t vertices, std::size_t faces, const std::string& scalar) {
  return "ply\nformat " + format + " 1.0\nelement vertex " + std::to_string(vertices) + "\nproperty " + scalar +
         " x\nproperty uchar red\nproperty " + scalar + " y\nproperty " + scalar + " z\nelement face " +
         std::to_string(faces) + "\nproperty list uchar int vertex_indices\nproperty ushort flags\nend_header\n";
}

template <typename Value>
void put(std::string& to, Value value, bool big) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  if (big) std::reverse(bytes, bytes + sizeof value);
  to.append(bytes, sizeof value);
}

/// `longest`: corners of the largest face.
template <typename Scalar>
std::string ply(Random& random, std::size_t vertices, std::size_t faces, bool big, int longest) {
  std::string text = ply_header(big ? "binary_big_endian" : "binary_little_endian", vertices, faces,
                                sizeof(Scalar) == 4 ? "float" : "double");
  for (std::size_t i = 0; i < vertices; ++i) {
    put(text, static_cast<Scalar>(random.in(-9, 9)), big);
    text += 'r';
    put(text, static_cast<Scalar>(random.in(-9, 9)), big);
    put(text, static_cast<Scalar>(random.chance(0.1) ? -0.0 : random.in(-9, 9)), big);
  }
  for (std::size_t i = 0; i < faces; ++i) {
    const int corners = 3 + random.below(longest - 2);
    text += static_cast<char>(corners);
    for (int k = 0; k < corners; ++k)
      put(text, static_cast<std::int32_t>(random.below(static_cast<int>(vertices))), big);
    put(text, std::uint16_t{7}, big);
  }
  return text;
}

TEST_F(Stream, BinaryPly) {
  Random random(3);
  const auto vertices = testing_support::smaller<std::size_t>(6000, 4), faces = vertices + vertices / 2;
  for (int i = 0; i < 12; ++i) {
    const bool big = i % 2 == 1;
    const int longest = i % 4 < 2 ? 3 : 7;
    const std::string text =
        i < 6 ? ply<float>(random, vertices, faces, big, longest) : ply<double>(random, vertices, faces, big, longest);
    expect_same(folder_.write("m.ply", text), "mesh " + std::to_string(i));
  }
}

TEST_F(Stream, BadPlyFiles) {
  Random random(4);
  const std::string good = ply<float>(random, 500, 700, false, 3), mixed = ply<float>(random, 500, 700, false, 5);
  const std::size_t data = good.find("end_header\n") + 11;
  for (const std::string& text : {good, mixed})
    for (int i = 0; i < 60; ++i) {
      std::string bad = text;
      switch (i % 4) {
        case 0:  // anything in any place
          bad[data + static_cast<std::size_t>(random.below(static_cast<int>(bad.size() - data)))] =
              static_cast<char>(random.below(256));
          break;
        case 1:  // a coordinate that is not finite
          bad.replace(data + 13 * static_cast<std::size_t>(random.below(500)), 4, "\xff\xff\xff\xff");
          break;
        case 2:
          bad.resize(static_cast<std::size_t>(random.below(static_cast<int>(bad.size()))));
          break;
        default:
          bad += "more";
      }
      expect_same(folder_.write("m.ply", bad), "case " + std::to_string(i));
    }
}

TEST_F(Stream, PlyStripsAndOtherElements) {
  std::string text =
      "ply\r\nformat binary_little_endian 1.0\r\nelement junk 2\r\nproperty list uchar short numbers\r\nelement vertex "
      "5\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\nelement face 1\r\nproperty list uchar uint "
      "vertex_index\r\nelement tristrips 1\r\nproperty list int int vertex_indices\r\nend_header\r\n";
  text += std::string("\x01\x02\x03\x00", 4);
  for (int i = 0; i < 15; ++i) put(text, static_cast<float>(i * i % 7), false);
  text += '\3';
  for (const std::uint32_t i : {0u, 1u, 2u}) put(text, i, false);
  put(text, 8, false);
  for (const int i : {0, 1, 2, 3, -1, 2, 3, 4}) put(text, i, false);
  const std::filesystem::path path = folder_.write("m.ply", text);
  expect_same(path, "strips");
  EXPECT_EQ(open_triangles(path)->size(), 4u);
}

TEST_F(Stream, BinaryStl) {
  const Mesh mesh = scenes::uniform_soup(10'000);
  const std::filesystem::path path = folder_.path() / "m.stl";
  write_mesh(path, mesh);
  expect_same(path, "soup");
  std::string text = testing_support::slurp(path);
  text.replace(84 + 50 * 7000 + 12 + 20, 4, std::string("\x00\x00\x80\x7f", 4));
  text.replace(84 + 50 * 9000 + 12 + 20, 4, std::string("\x00\x00\x80\x7f", 4));
  expect_same(folder_.write("bad.stl", text), "infinite");
  expect_same(folder_.write("short.stl", text.substr(0, 5000)), "short");
  expect_same(folder_.write("empty.stl", ""), "empty");
  expect_same(folder_.write("none.stl", std::string(84, '\0')), "no triangles");
}

/// Statements of every kind; `faulty`: also ones with errors.
std::string obj(Random& random, bool faulty) {
  std::string text = random.chance(0.2) ? "\xEF\xBB\xBF# bom\n" : "";
  int vertices = 0;
  const auto number = [&] { return std::to_string(random.in(-9, 9)); };
  for (int line = 0; line < 3000; ++line) {
    const int what = random.below(faulty ? 1000 : 20);
    if (vertices < 3 || what < 8) {
      text += "v " + number() + " " + number() + " " + number() + "\n", ++vertices;
    } else if (what == 19 && random.chance(0.02)) {
      text += random.chance(0.5) ? "o part" + std::to_string(random.below(2)) + "\n" : "g \\\n group\n";
    } else if (what == 18) {
      text += "vt 1 2 # comment\r\n";
    } else if (what > 990) {
      constexpr const char* kBad[] = {"f 1 2\n",        "v 1 2\n",       "v 1 x 2\n", "f 1 2 0\n",
                                      "f 1 2 -99999\n", "f 1 2 99999\n", "surf 1\n",  "f a b c\n"};
      text += kBad[random.below(8)];
    } else {
      text += "f";
      for (int k = 3 + (random.chance(0.2) ? random.below(3) : 0); k > 0; --k) {
        const int i = random.below(vertices) + 1;
        text += " " + std::to_string(random.chance(0.3) ? i - vertices - 1 : i) + (random.chance(0.2) ? "//3" : "");
      }
      text += "\n";
    }
  }
  return text;
}

TEST_F(Stream, Obj) {
  Random random(5);
  for (int i = 0; i < 10; ++i) expect_same(folder_.write("m.obj", obj(random, false)), "mesh " + std::to_string(i));
  for (int i = 0; i < 60; ++i) expect_same(folder_.write("m.obj", obj(random, true)), "bad mesh " + std::to_string(i));
}

TEST_F(Stream, ObjNamesAndIndicesThatComeLater) {
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (const std::string& text :
       {"o only\n" + vertices + "f 1 2 3\n", "f 1 2 3\n" + vertices, vertices + "f 1 2 3\no second\nf 1 2 3\n",
        "f 1 2 4\nf 1 2 7\nf 7 1 2\n" + vertices, vertices, std::string("# nothing\n"), std::string("f 1 2 3")})
    expect_same(folder_.write("m.obj", text), text);
}

TEST_F(Stream, FormatsThatCannotBeReadInPieces) {
  const auto error = [&](const std::string& name, const std::string& text) {
    const std::string path = folder_.write(name, text).string();
    const std::string message = streamed(path, 1 << 20, 1);
    return message.substr(std::min(message.size(), path.size()));
  };
  const std::string tail = " cannot be read in pieces; binary STL, binary PLY and OBJ can";
  EXPECT_EQ(error("m.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"), ": an OFF file" + tail);
  EXPECT_EQ(error("m.stl", "solid a\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\n"),
            ": an STL file in text form" + tail);
  EXPECT_EQ(error("m.ply",
                  "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float "
                  "z\nend_header\n"),
            ": a PLY file in text form" + tail);
  EXPECT_EQ(error("m.glb", "glTF....."), ": a glTF file" + tail);
  EXPECT_EQ(streamed("/no/such/file.ply", 1 << 20, 1), "/no/such/file.ply: cannot open: No such file or directory");
}

}  // namespace
}  // namespace sightline::test
