#include "support/engine_fuzz.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "oracle/rational.h"
#include "sightline/query.h"
#include "support/byte_source.h"
#include "support/compare.h"
#include "support/corpus.h"
#include "support/pairs.h"
#include "support/tuned.h"

namespace testing_support {
namespace {

using sightline::Axis;
using sightline::Contact;
using sightline::Report;
using sightline::Scene;
using sightline::Simd;
using sightline::VisibilityCull;

enum class Family {
  lattice,
  tenth,
  signed_zero,
  jogged,
  stretched,
  raw,
  raw_float,
  giants,
  denormal,
  far,
  affine,
  kCount
};

/// Rationals with exponents a thousand apart are slow: fewer triangles there.
bool is_slow(Family family) { return family == Family::raw || family == Family::stretched || family == Family::jogged; }

double finite(double x) { return std::isfinite(x) ? x : std::copysign(1.5, x); }

class Decoder {
 public:
  Decoder(ByteSource& source, int large_in) : source_(source), large_in_(large_in) {
    family_ = static_cast<Family>(source.below(static_cast<int>(Family::kCount)));
    single_ = source.chance(96);
    constexpr int sides[] = {2, 3, 4, 5, 9, 16};
    side_ = sides[source.below(6)];
    local_ = side_ >= 9;
    // Exponents far apart need the widest integers, in the engine and in the oracle: few such scenes.
    wide_ = source.rarely(std::min(large_in, 32));
    const int reach = !wide_ ? 30 : single_ ? 100 : 900;
    for (double& f : factor_) f = std::ldexp(1.0, source.below(2 * reach) - reach);
    distance_ = std::pow(10.0, 3 + source.below(5));
  }

  FuzzScene scene() {
    FuzzScene out;
    const int objects = 1 + (source_.chance(128) ? source_.below(4) : 0);
    // Past the size of a group now and then, so that groups are split; only where few boxes overlap, for the
    // oracle's sake.
    const bool sparse = side_ == 16 && family_ != Family::giants && family_ != Family::raw_float;
    // Most scenes are small: two or three triangles show most faults, and the oracle's time grows with the square.
    const bool large = source_.rarely(large_in_);
    const int most = !large ? 8 : is_slow(family_) ? 16 : sparse && source_.chance(48) ? 500 : local_ ? 80 : 30;
    const int triangles = 1 + source_.below(most);
    const bool common_vertices = source_.chance(128);
    std::vector<Vec3d> pool;
    for (int i = 0; i < objects; ++i) {
      if (!common_vertices) pool.clear();
      out.objects.push_back(mesh(pool, 1 + triangles / objects));
      out.self.push_back(objects == 1 || source_.chance(128));
    }
    out.options = options();
    return out;
  }

 private:
  Tuned options() {
    Tuned o;
    o.threads = source_.rarely(std::min(large_in_, 16)) ? 1 + source_.below(4) : 1;  // one is ten times as fast
    const auto simd = static_cast<Simd>(source_.below(5));
    o.simd = available(simd) ? simd : Simd::best;
    o.axis = static_cast<Axis>(source_.below(4));
    constexpr double cells[] = {0, 0, 0.3, 1, 3, 10, 100, 0.05};
    o.cell = cells[source_.below(8)];
    o.visibility = static_cast<VisibilityCull>(source_.below(3));
    return o;
  }

  /// Any bits; the exponent within 32 of zero unless the scene is wide.
  double raw() {
    const std::uint64_t bits = source_.word();
    const std::uint64_t narrow = (bits & 0x83ffffffffffffffu) + (std::uint64_t{1023 - 32} << 52);
    return finite(std::bit_cast<double>(wide_ ? bits : narrow));
  }

  double coordinate(int axis, int n) {
    switch (family_) {
      case Family::tenth:
        return n * 0.1;
      case Family::signed_zero:
        return n == 1 ? (source_.chance(128) ? -0.0 : 0.0) : n - 1;
      case Family::jogged:
        return ulps_away(n / 3.0, source_.below(3) - 1);
      case Family::stretched:
        return n * factor_[axis];
      case Family::raw:
        return raw();
      case Family::raw_float:
        return finite(std::bit_cast<float>(static_cast<std::uint32_t>(source_.word())));
      case Family::giants:
        return source_.chance(24) ? n * std::ldexp(1.0, source_.below(40)) : n;
      case Family::denormal:
        return n * (single_ ? 0x1p-149 : 0x1p-1074);
      case Family::far:
        return n * 0.1 + distance_;
      default:
        return n;
    }
  }

  Vec3d fresh(const std::vector<Vec3d>& pool) {
    if (family_ == Family::affine && pool.size() >= 3 && source_.chance(160)) {
      // On an edge or a face of what is there, up to rounding; often exactly.
      const Vec3d &p = pool[source_.below(int(pool.size()))], &q = pool[source_.below(int(pool.size()))],
                  &r = pool[source_.below(int(pool.size()))];
      const double u = source_.below(5) / 4.0, v = source_.chance(128) ? source_.below(4) / 3.0 : 0;
      Vec3d x;
      for (int k = 0; k < 3; ++k) x[k] = p[k] + u * (q[k] - p[k]) + v * (r[k] - p[k]);
      return x;
    }
    return {coordinate(0, source_.below(side_)), coordinate(1, source_.below(side_)),
            coordinate(2, source_.below(side_))};
  }

  /// A corner within two lattice steps of `near`, for scenes where most triangles do not meet.
  Vec3d neighbour(const int (&near)[3]) {
    return {coordinate(0, near[0] + source_.below(3)), coordinate(1, near[1] + source_.below(3)),
            coordinate(2, near[2] + source_.below(3))};
  }

  Mesh mesh(std::vector<Vec3d>& pool, int triangles) {
    const int flat = source_.chance(24) ? source_.below(3) : -1;
    std::vector<Triangle> faces;
    const auto corner = [&](const Vec3d& at) {
      Vec3d p = at;
      if (flat >= 0) p[flat] = coordinate(flat, 1);
      pool.push_back(p);
      return static_cast<std::uint32_t>(pool.size() - 1);
    };
    for (int i = 0; i < triangles; ++i) {
      Triangle t;
      const int near[3] = {source_.below(side_), source_.below(side_), source_.below(side_)};
      for (std::uint32_t& v : t) {
        if (!pool.empty() && source_.chance(local_ ? 40 : 110))
          v = static_cast<std::uint32_t>(source_.below(int(pool.size())));
        else
          v = corner(local_ && !source_.chance(8) ? neighbour(near) : fresh(pool));
      }
      faces.push_back(t);
    }
    const Mesh made{"", pool, faces};
    if (!single_) return made;
    Mesh rounded = as_float(made);
    for (Vec3f& p : std::get<0>(rounded.positions))
      for (float& x : p)
        if (!std::isfinite(x)) x = std::copysign(1.5f, x);
    return rounded;
  }

  ByteSource& source_;
  int large_in_;
  Family family_;
  bool single_, local_, wide_;
  int side_;
  double factor_[3], distance_;
};

std::string check(const FuzzScene& scene, const Report& report, const std::vector<Contact>& expected) {
  const std::vector<MeshView> objects = views(scene.objects);
  return difference(expected, report, objects);
}

std::vector<Contact> truth(const FuzzScene& scene) { return oracle::contacts(views(scene.objects), scene.self); }

Scene scene_of(const FuzzScene& frame) {
  Scene scene;
  for (std::size_t i = 0; i < frame.objects.size(); ++i) scene.add(frame.objects[i], {.self = frame.self[i]});
  return scene;
}

/// The scene by itself: empty if the engine gives the expected list.
std::string check_alone(const FuzzScene& frame, const std::vector<Contact>& expected) {
  try {
    return check(frame, scene_of(frame).collide(frame.options), expected);
  } catch (const std::exception& error) {
    return std::string("throws: ") + error.what() + "\n";
  }
}

std::string check_cut(const FuzzScene& frame, Scene& scene, const std::vector<Contact>& expected) {
  Tuned options = frame.options;
  options.max_contacts = expected.size() / 2;
  const Report cut = collide(scene, options);
  std::vector<Contact> head = expected;
  head.resize(expected.size() / 2);
  if (cut.contacts != head || cut.found != expected.size() || cut.complete != expected.empty())
    return "max_contacts does not keep the first in canonical order\n";
  options = frame.options;
  options.first = true;
  const Report first = collide(scene, options);
  if (expected.empty()
          ? !first.contacts.empty()
          : first.contacts.size() != 1 || !std::binary_search(expected.begin(), expected.end(), first.contacts[0]))
    return "first does not give one true contact\n";
  return "";
}

}  // namespace

std::vector<FuzzScene> decode_frames(std::span<const std::uint8_t> bytes, int large_in) {
  ByteSource source(bytes);
  std::vector<FuzzScene> frames;
  for (int i = 0; i < 2; ++i) frames.push_back(Decoder(source, large_in).scene());
  return frames;
}

std::string fuzz_engine(std::span<const std::uint8_t> bytes, int large_in) {
  const std::vector<FuzzScene> frames = decode_frames(bytes, large_in);
  Report report;  // reused, as is the scene: what a frame leaves behind must not show in the next
  Scene scene;
  for (const FuzzScene& frame : frames) {
    // The second frame's objects take the place of the first's as far as they go; flags stay, so they are made equal.
    FuzzScene now = frame;
    for (std::size_t i = 0; i < now.objects.size(); ++i) {
      if (i < scene.size())
        now.self[i] = frames[0].self[i];
      else
        scene.add({}, {.self = now.self[i]});
      scene.replace(static_cast<sightline::ObjectId>(i), now.objects[i]);
    }
    for (std::size_t i = now.objects.size(); i < scene.size(); ++i) scene.remove(static_cast<sightline::ObjectId>(i));
    collide(scene, report, now.options);
    const std::vector<Contact> expected = truth(now);
    std::string text = check(now, report, expected);
    if (text.empty()) text = check_cut(now, scene, expected);
    if (text.empty()) continue;
    const auto fails = [](const FuzzScene& s) { return !check_alone(s, truth(s)).empty(); };
    return text + (fails(now) ? "shrunk:\n" + source_of(shrunk(now, fails))
                              : "fails only after another frame:\n" + source_of(frames[0]) + source_of(now));
  }
  return "";
}

std::string fuzz_scene(const FuzzScene& scene, const Truth& truth_of, bool limits) {
  const std::vector<Contact> expected = truth_of(scene);
  const std::string text = check_alone(scene, expected);
  if (!text.empty())
    return text + "shrunk:\n" +
           source_of(shrunk(scene, [&](const FuzzScene& s) { return !check_alone(s, truth_of(s)).empty(); }));
  if (!limits) return "";
  Scene again = scene_of(scene);
  const std::string cut = check_cut(scene, again, expected);
  return cut.empty() ? "" : cut + source_of(scene);
}

FuzzScene shrunk(FuzzScene scene, const std::function<bool(const FuzzScene&)>& fails) {
  std::size_t triangles = 0;
  for (const Mesh& mesh : scene.objects) triangles += mesh.triangles.size();
  int tries = triangles > 1000 ? 20 : 20000;  // a scene that fails by its size does not shrink
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t o = 0; o < scene.objects.size(); ++o)
      for (std::size_t step = std::max<std::size_t>(1, scene.objects[o].triangles.size() / 2); step > 0; step /= 2)
        for (std::size_t i = 0; i + step <= scene.objects[o].triangles.size();) {
          if (--tries < 0) return scene;
          FuzzScene less = scene;
          auto& faces = less.objects[o].triangles;
          faces.erase(faces.begin() + i, faces.begin() + i + step);
          if (fails(less)) {
            scene = std::move(less);
            smaller = true;
          } else {
            i += step;
          }
        }
  }
  return scene;
}

std::string source_of(const FuzzScene& scene) {
  std::string text;
  for (std::size_t o = 0; o < scene.objects.size(); ++o) {
    const MeshView mesh = scene.objects[o];
    text += "// object " + std::to_string(o) + (scene.self[o] ? ", self" : "") +
            (mesh.positions.is_double() ? ", double\n" : ", float\n");
    constexpr std::size_t kMost = 100;
    for (std::size_t t = 0; t < std::min(kMost, mesh.triangles.size()); ++t) text += hex(mesh.corners(t)) + ",\n";
    if (mesh.triangles.size() > kMost) text += "// and others, " + std::to_string(mesh.triangles.size()) + " in all\n";
  }
  char options[160];
  std::snprintf(options, sizeof options, "// threads %u, simd %s, axis %d, cell %g, visibility %d\n",
                scene.options.threads, std::string(sightline::to_string(scene.options.simd)).c_str(),
                static_cast<int>(scene.options.axis), scene.options.cell, static_cast<int>(scene.options.visibility));
  return text + options;
}

}  // namespace testing_support
