// Rows of a part within a tile, and the depths of a row's pixels: included once for each target by tile.cpp.
#if defined(SIGHTLINE_RASTER_FILL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SIGHTLINE_RASTER_FILL_INL_H_
#undef SIGHTLINE_RASTER_FILL_INL_H_
#else
#define SIGHTLINE_RASTER_FILL_INL_H_
#endif

#include <hwy/highway.h>

#include "raster/cpu/tile.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline::papers::raster::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// At most 16 lanes: a row has 64 pixels, and padding after a tile is 64.
using DU = hn::CappedTag<std::uint32_t, 16>;
using DD = hn::Repartition<double, DU>;
using DI = hn::RebindToSigned<DU>;
using VU = hn::Vec<DU>;
using VD = hn::Vec<DD>;
using MU = hn::Mask<DU>;

/// Columns left … right - 1 of each row of a tile, for rows y0 … y1 - 1.
struct Spans {
  HWY_ALIGN std::int32_t left[kTile + 16], right[kTile + 16];
  int y0, y1;
};

/// The rows of a part in a tile. Everything is exact (tile.h).
HWY_INLINE void find_spans(const Part& part, const PartBox& box, const PixelBox& tile, Spans& spans) {
  const DD d;
  const hn::Rebind<std::int32_t, DD> di;
  const int lanes = static_cast<int>(hn::Lanes(d));
  spans.y0 = std::max<int>(box.y0 - tile.y0, 0);
  spans.y1 = std::min<int>(box.y1 - tile.y0, kTile);
  const VD x0 = hn::Set(d, std::max<int>(box.x0 - tile.x0, 0)), x1 = hn::Set(d, std::min<int>(box.x1 - tile.x0, kTile));
  VD at[3], step[3], cross[3];
  const VD row = hn::Add(hn::Iota(d, 0.0), hn::Set(d, spans.y0));
  for (int i = 0; i < 3; ++i) {
    const double edge =
        part.edge[i] + static_cast<double>(part.dx[i]) * tile.x0 + static_cast<double>(part.dy[i]) * tile.y0;
    const VD dy = hn::Set(d, part.dy[i]);
    at[i] = hn::Add(hn::Set(d, edge), hn::Mul(dy, row));
    step[i] = hn::Mul(dy, hn::Set(d, lanes));
    cross[i] = hn::Set(d, part.cross[i]);
  }
  const VD left_most = hn::Set(d, part.cross[2] < 0 ? kTile : 0);
  for (int y = spans.y0; y < spans.y1; y += lanes) {
    const VD third = hn::Ceil(hn::Mul(at[2], cross[2]));
    const VD left = hn::Max(hn::Max(hn::Ceil(hn::Mul(at[0], cross[0])), hn::Min(third, left_most)), x0);
    const VD right = hn::Min(hn::Min(hn::Ceil(hn::Mul(at[1], cross[1])), hn::Max(third, left_most)), x1);
    hn::StoreU(hn::DemoteTo(di, hn::Min(left, x1)), di, spans.left + y);
    hn::StoreU(hn::DemoteTo(di, hn::Max(right, x0)), di, spans.right + y);
    for (int i = 0; i < 3; ++i) at[i] = hn::Add(at[i], step[i]);
  }
}

struct Keys {
  VU near, far;
};

enum class Keying : std::uint8_t {
  free,           ///< fixed, image; the part's depths are not bounded (DepthPlane)
  fixed,          ///< fixed, image
  floating,       ///< float32, image
  fixed_ends,     ///< fixed, conservative
  floating_ends,  ///< float32, conservative
};

/// 0 … 63 in double.
struct Columns {
  double at[kTile];
  constexpr Columns() : at() {
    for (int i = 0; i < kTile; ++i) at[i] = i;
  }
};
constexpr Columns kColumns;

/// Keys of a part's depths: what ends_at of cover.h does, on lanes.
template <Keying kKeying>
class Depths {
  static constexpr bool kFloat = kKeying == Keying::floating || kKeying == Keying::floating_ends;
  static constexpr bool kConservative = kKeying == Keying::fixed_ends || kKeying == Keying::floating_ends;

 public:
  Depths(const Part& part, const TileJob& job)
      : zx_(hn::Set(DD(), part.zx)),
        low_(hn::Set(DD(), part.low)),
        high_(hn::Set(DD(), part.high)),
        half_(hn::Set(DD(), part.half)),
        last_(hn::Set(DD(), static_cast<double>(far_key(job.target.format)) - 1)),
        x_low_(hn::Add(hn::Iota(DD(), 0.0), hn::Set(DD(), job.pixels.x0 - part.x0))),
        x_high_(hn::Add(x_low_, hn::Set(DD(), static_cast<double>(hn::Lanes(DD()))))),
        z_(part.z),
        zy_(part.zy),
        y_(job.pixels.y0 - part.y0) {}

  /// For row y of the tile.
  HWY_INLINE VD row(int y) const { return hn::Set(DD(), z_ + zy_ * (kColumns.at[y] + y_)); }

  /// Of the pixels from column x on.
  HWY_INLINE Keys at(VD row, int x) const {
    const VD by = hn::Set(DD(), kColumns.at[x]);
    const VD a = hn::Add(row, hn::Mul(zx_, hn::Add(x_low_, by))), b = hn::Add(row, hn::Mul(zx_, hn::Add(x_high_, by)));
    if constexpr (kKeying == Keying::free) {
      const VU key = whole(a, b);
      return {key, key};
    }
    if constexpr (!kConservative) {
      const VU key = nearest(hn::Min(hn::Max(a, low_), high_), hn::Min(hn::Max(b, low_), high_));
      return {key, key};
    } else {
      const auto clamp = [&](VD v) { return hn::Min(hn::Max(v, low_), high_); };
      return {down(clamp(hn::Sub(a, half_)), clamp(hn::Sub(b, half_))),
              up(clamp(hn::Add(a, half_)), clamp(hn::Add(b, half_)))};
    }
  }

 private:
  static HWY_INLINE VU whole(VD a, VD b) {  // nearest_key
    const DU du;
    const VD magic = hn::Set(DD(), 0x1p52);
    return hn::ConcatEven(du, hn::BitCast(du, hn::Add(b, magic)), hn::BitCast(du, hn::Add(a, magic)));
  }
  static HWY_INLINE VU bits(VD a, VD b) {
    const hn::Repartition<float, DU> df;
    const hn::Half<decltype(df)> dh;
    return hn::BitCast(DU(), hn::Combine(df, hn::DemoteTo(dh, b), hn::DemoteTo(dh, a)));
  }
  static HWY_INLINE VU nearest(VD a, VD b) {
    if constexpr (kFloat) return bits(a, b);
    return whole(a, b);
  }
  HWY_INLINE VU down(VD a, VD b) const {  // low_key
    const DD d;
    const DU du;
    if constexpr (kFloat) {
      const VD by = hn::Set(d, rules::kDepthSpareFloat), zero = hn::Zero(d);
      const VU key = bits(hn::Max(zero, hn::Sub(a, by)), hn::Max(zero, hn::Sub(b, by)));
      return hn::Sub(hn::Max(hn::Set(du, 3), key), hn::Set(du, 2));
    }
    const VD one = hn::Set(d, 1.0), by = hn::Set(d, rules::kDepthSpare);
    return whole(hn::Max(one, hn::Sub(hn::Floor(a), by)), hn::Max(one, hn::Sub(hn::Floor(b), by)));
  }
  HWY_INLINE VU up(VD a, VD b) const {  // high_key
    const DD d;
    const DU du;
    if constexpr (kFloat) {
      const VD by = hn::Set(d, rules::kDepthSpareFloat);
      return hn::Add(bits(hn::Add(a, by), hn::Add(b, by)), hn::Set(du, 2));
    }
    const VD by = hn::Set(d, rules::kDepthSpare);
    return whole(hn::Min(hn::Add(hn::Ceil(a), by), last_), hn::Min(hn::Add(hn::Ceil(b), by), last_));
  }

  VD zx_, low_, high_, half_, last_, x_low_, x_high_;
  double z_, zy_, y_;
};

/// Calls shader(keys, mask, pixel) for the pixels of a part, some lanes at a time; `pixel` counts within the tile, and
/// the mask has the covered ones. Returns the number of fragments.
template <typename Keyed, typename Shader>
HWY_INLINE std::uint64_t fill(const Keyed& depths, const Spans& spans, Shader& shader) {
  const DU du;
  const int lanes = static_cast<int>(hn::Lanes(du));
  std::uint64_t fragments = 0;
  for (int y = spans.y0; y < spans.y1; ++y) {
    const int left = spans.left[y], right = spans.right[y];
    if (left >= right) continue;
    fragments += static_cast<std::uint64_t>(right - left);
    const VD row = depths.row(y);
    for (int x = left; x < right; x += lanes)
      shader(depths.at(row, x), hn::FirstN(du, static_cast<std::size_t>(right - x)), y * kTile + x);
  }
  return fragments;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline::papers::raster::cpu
HWY_AFTER_NAMESPACE();
#endif
#endif
