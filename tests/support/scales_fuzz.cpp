// What in the engine depends on the number of triangles, and how few of them reach it:
//   - at least 64 columns, however few triangles, if the cell is far below the typical extent (Options::cell); from 17
//     columns on there are coarser levels, and a large triangle is a guest in the columns of the finer ones;
//   - the typical extent leaves out what is 64 times larger than the median, so one giant among three is enough;
//   - the grid leaves out a 200th of the centres at either end: from 200 triangles on a giant may lie outside it;
//   - groups of 256, 192 with guests, blocks of 128: crowds of up to 450 in one column are cut, in depth or in space;
//   - ranges of 16 objects in the depth cull of a column: some scenes have up to 24 objects;
//   - a sample of 4096 from 8192 triangles on: now and then dust fills a scene up.
#include "support/scales_fuzz.h"

#include <algorithm>
#include <cmath>

#include "oracle/brute.h"
#include "support/byte_source.h"
#include "support/corpus.h"
#include "support/tuned.h"

namespace testing_support {
namespace {

using sightline::Axis;
using sightline::Simd;
using sightline::VisibilityCull;

class Decoder {
 public:
  explicit Decoder(ByteSource& source) : source_(source) {
    // A pair whose exponents span more than 124 bits needs the widest integers, which are slow: few such scenes, and
    // few triangles in them. A tenth has 53 bits, and 2 · 30 + 53 + the bits of small factors stay below 124.
    wide_ = source.rarely(50);
    const int middle = source.chance(128) ? 0 : wide_ ? source.below(1900) - 1000 : source.below(1700) - 900;
    const int reach = wide_ ? 1 + source.below(1020) : 1 + source.below(30);
    const int levels = 1 + source.below(5);
    for (int i = 0; i < levels; ++i) {
      const int exponent = middle + (i == 0 ? 0 : source.below(2 * reach + 1) - reach);
      levels_.push_back(std::ldexp(source.chance(40) ? 0.1 : 1.0, std::clamp(exponent, -1074, 1018)));
    }
    giant_ = std::ldexp(1.0, std::clamp(middle + reach, -1000, 1018));
    giants_ = source.chance(128) ? 4 + source.below(40) : 0;
    tilt_ = source.below(5) * 0.25;
    common_ = source.below(160);
    if (source.chance(40)) flat_ = source.below(3);
    if (flat_ >= 0) plane_ = source.chance(40) ? 0 : levels_[source.below(levels)] * (1 + source.below(3));
  }

  FuzzScene scene() {
    FuzzScene out;
    const int objects = source_.chance(140) ? 1 + source_.below(source_.chance(20) ? 24 : 4) : 1;
    const int triangles = count();
    for (int i = 0; i < objects; ++i) {
      if (source_.chance(128)) pool_.clear();
      out.objects.push_back(mesh(1 + triangles / objects));
      out.self.push_back(objects == 1 || source_.chance(128));
    }
    out.options = options();
    if (!wide_ && source_.rarely(1024) && std::fabs(std::log2(levels_[0])) < 900) {
      add_dust(out);
      if (out.options.cell > 4) out.options.cell = 0;  // all in one cell would be slow
    }
    return out;
  }

 private:
  int count() {
    if (wide_) return 1 + source_.below(5);
    if (!source_.rarely(16)) return 2 + source_.below(14);
    if (!source_.rarely(16)) return 16 + source_.below(60);
    giants_ = std::min(giants_, 12);  // in a crowd each giant meets all the others
    common_ = std::min(common_, 30);
    if (source_.chance(128)) levels_.resize(1);  // one size, so that the crowd is in few columns
    return 150 + source_.below(300);
  }

  Tuned options() {
    Tuned o;
    o.threads = source_.chance(12) ? 2 + source_.below(3) : 1;
    const auto simd = static_cast<Simd>(source_.below(5));
    o.simd = available(simd) ? simd : Simd::best;
    o.axis = static_cast<Axis>(source_.below(4));
    constexpr double cells[] = {0, 0, 0.3, 1, 4, 30, 1e6, 1e-3, 1e-9, 1e-15, 1e-30, 1e-100, 1e-200, 1e-300};
    o.cell = cells[source_.below(14)];
    o.visibility = static_cast<VisibilityCull>(source_.below(3));
    return o;
  }

  double step() { return levels_[static_cast<std::size_t>(source_.below(static_cast<int>(levels_.size())))]; }

  /// Corner i of a triangle. A giant reaches as far to one side as to the other on two axes: its middle is among the
  /// rest, so that the grid need not hold its corners.
  Vec3d corner(int i, const Vec3d& about, double size, bool giant) {
    Vec3d p;
    for (int k = 0; k < 3; ++k) p[k] = about[k] + size * (source_.below(7) - 3.0);
    if (giant) {
      constexpr double places[3][2] = {{-1, -1}, {1, -1}, {0, 1}};
      const int axis = static_cast<int>(std::fmod(std::fabs(about[0] + about[1]), 3.0));
      for (int k = 0; k < 2; ++k) p[(axis + k) % 3] = about[(axis + k) % 3] + giant_ * places[i][k];
      p[(axis + 2) % 3] = about[(axis + 2) % 3] + giant_ * tilt_ * (i - 1.0);
    }
    if (flat_ >= 0 && !source_.chance(4)) p[flat_] = plane_;
    return p;
  }

  Mesh mesh(int triangles) {
    std::vector<Triangle> faces;
    const auto any = [&] { return static_cast<std::uint32_t>(source_.below(static_cast<int>(pool_.size()))); };
    const int local = source_.below(200);  // triangles about a corner that is there already
    for (int i = 0; i < triangles; ++i) {
      if (!faces.empty() && source_.chance(10)) {  // a duplicate, turned
        const Triangle t = faces[static_cast<std::size_t>(source_.below(static_cast<int>(faces.size())))];
        faces.push_back({t[1], t[2], t[0]});
        continue;
      }
      const double size = step();
      const bool giant = source_.chance(giants_);
      Vec3d about{};
      if (!pool_.empty() && source_.chance(local))
        about = pool_[any()];
      else
        for (double& x : about) x = step() * (source_.below(33) - 16);
      Triangle t;
      for (int c = 0; c < 3; ++c) {
        if (!pool_.empty() && source_.chance(common_)) {
          t[c] = any();
          continue;
        }
        t[c] = static_cast<std::uint32_t>(pool_.size());
        pool_.push_back(corner(c, about, size, giant));
      }
      faces.push_back(t);
    }
    if (source_.chance(30)) pool_.push_back({giant_, -giant_, giant_});  // a vertex that no triangle uses
    const Mesh made{"", pool_, faces};
    if (!source_.chance(70)) return made;
    Mesh rounded = as_float(made);
    for (Vec3f& p : std::get<0>(rounded.positions))
      for (float& x : p)
        if (!std::isfinite(x)) x = std::copysign(3e38f, x);
    return rounded;
  }

  /// Enough small triangles for a sample that leaves some out, and before all others a giant that is not in it.
  void add_dust(FuzzScene& scene) {
    Builder dust, giant;
    const double size = std::exp2(std::ilogb(levels_[0])), s = size * std::ldexp(1.0, 10 + source_.below(80));
    const int axis = source_.below(3);
    const auto place = [axis](double u, double v, double w) {
      Vec3d p;
      p[axis] = u;
      p[(axis + 1) % 3] = v;
      p[(axis + 2) % 3] = w;
      return p;
    };
    giant.triangle(place(-s, -s, -tilt_ * s), place(s, -s, tilt_ * s), place(0, s, 0));
    for (int i = 0; i < 8300; ++i) {
      const double u = size * (i % 91 - 45), v = size * (i / 91 - 45), w = v / 4;
      dust.triangle(place(u, v, w), place(u + size / 4, v, w), place(u, v + size / 4, w + size / 2));
    }
    scene.objects.insert(scene.objects.begin(), giant.mesh());
    scene.self.insert(scene.self.begin(), false);
    scene.objects.push_back(dust.mesh());
    scene.self.push_back(true);
  }

  ByteSource& source_;
  bool wide_;
  std::vector<double> levels_;
  double giant_, tilt_;
  int giants_, common_, flat_ = -1;
  double plane_ = 0;
  std::vector<Vec3d> pool_;
};

}  // namespace

FuzzScene decode_scales(std::span<const std::uint8_t> bytes) {
  ByteSource source(bytes);
  return Decoder(source).scene();
}

std::string fuzz_scales(std::span<const std::uint8_t> bytes) {
  const FuzzScene scene = decode_scales(bytes);
  const bool limits = bytes.size() % 4 == 3;  // a choice that costs no byte
  return fuzz_scene(
      scene, [](const FuzzScene& s) { return oracle::brute_contacts(views(s.objects), s.self); }, limits);
}

}  // namespace testing_support
