// Calls are recorded and run when a result is needed: triangles are projected (once for each camera) and binned into
// tiles, and tiles run in parallel.
#include <algorithm>

#include "raster/cpu/frame.h"
#include "raster/cpu/inside.h"
#include "raster/cpu/peel.h"

namespace sightline::papers::raster {
namespace cpu {
namespace {

Kind kind_of(const State& state) {
  if (state.color_mask != 0 || state.differ) return Kind::full;
  if (state.stencil_test || state.floor != kNoImage || state.ceiling != kNoImage || !state.depth_test)
    return Kind::plain;
  return Kind::depth;
}

/// A counted test, then a write of the nearer depth: for one triangle, one traversal does both.
bool can_fuse(const Plan& test, const Plan& write) {
  const State &a = test.state, &b = write.state;
  return test.kind == Kind::depth && write.kind == Kind::depth && !a.depth_write && b.depth_write &&
         (a.depth == Compare::greater || a.depth == Compare::gequal) &&
         (b.depth == Compare::less || b.depth == Compare::lequal) && a.fill == Fill::solid && b.fill == Fill::solid &&
         a.cull == b.cull;
}

class CpuRaster final : public Raster {
 public:
  CpuRaster(Workers& workers, TileKernel kernel) : workers_(workers), frame_(workers, kernel) {}

  void clear_depth(std::uint32_t key) override { calls_.clears.push_back({calls_.ops.size(), Buffer::depth, key}); }
  void clear_stencil(std::uint8_t value) override {
    if (target_.stencil) calls_.clears.push_back({calls_.ops.size(), Buffer::stencil, 0, value});
  }
  void clear_color(const Color& color) override {
    if (target_.color) calls_.clears.push_back({calls_.ops.size(), Buffer::color, 0, 0, color});
  }
  std::vector<std::uint32_t> read_depth() override { return settled().read_depth(); }
  std::vector<std::uint8_t> read_stencil() override { return settled().read_stencil(); }
  std::vector<Color> read_color() override { return settled().read_color(); }
  std::vector<ColorAt> read_color_compact(std::uint8_t mask) override { return settled().read_color_compact(mask); }
  void peel(std::span<const PeelRegion> regions, std::span<const std::uint32_t> ids, Peeled& result) override {
    check_peel(regions, target_);
    flush();
    cpu::peel(workers_, geometry_, target_.format, regions, ids, result, counters_);
  }
  /// Includes the fragments of recorded calls, and so runs these first.
  const Counters& counters() override {
    flush();
    return counters_;
  }

 private:
  void flush() override;
  void enter_target() override {
    frame_.reset(target_);
    unsaved_ = false;
  }
  void enter_view() override { stale_ = true; }
  void submit(const State& state, std::span<const std::uint32_t> triangles, Query query) override;
  std::vector<Inside> find_inside(const InsideQuery& query, std::uint64_t& samples) override {
    return cpu::find_inside(workers_, query, geometry_, Projection(camera_, target_), target_, samples);
  }
  void add_image() override { frame_.add_image(); }
  void store_depth(Image to) override { settled().copy_depth(to); }
  void store_keys(Image to, std::span<const std::uint32_t> keys) override { settled().write(to, keys); }

  static constexpr std::size_t kMostRecorded = std::size_t{1} << 22;  ///< triangles; bounds the memory of a record

  std::uint32_t plan_of(const State& state, bool fused = false, Compare second = Compare::less);
  bool fuse(std::uint32_t plan, std::uint32_t triangle);
  void save();
  Frame& settled() {
    flush();
    save();
    return frame_;
  }

  Workers& workers_;
  Frame frame_;
  bool stale_ = true;  ///< parts_ belong to another geometry, camera or target
  Parts parts_;
  Calls calls_;
  Calls past_;            ///< while unsaved_: the calls that give the depths
  bool unsaved_ = false;  ///< the frame's depths are those before past_
  std::size_t saves_ = 0, drops_ = 0;
};

/// One of the last few plans, or a new one: states come in small cycles.
std::uint32_t CpuRaster::plan_of(const State& state, bool fused, Compare second) {
  constexpr std::size_t kLast = 6;
  std::vector<Plan>& plans = calls_.plans;
  const std::size_t end = plans.size() > kLast ? plans.size() - kLast : 0;
  for (std::size_t i = plans.size(); i > end; --i)
    if ((plans[i - 1].kind == Kind::fused) == fused && plans[i - 1].state == state && plans[i - 1].second == second)
      return static_cast<std::uint32_t>(i - 1);
  plans.push_back({state, fused ? Kind::fused : kind_of(state), second});
  return static_cast<std::uint32_t>(plans.size() - 1);
}

bool CpuRaster::fuse(std::uint32_t plan, std::uint32_t triangle) {
  if (calls_.ops.empty() || calls_.ops.back().count != 1 || calls_.triangles.back() != triangle) return false;
  if (!calls_.clears.empty() && calls_.clears.back().before == calls_.ops.size()) return false;
  Op& last = calls_.ops.back();
  if (!can_fuse(calls_.plans[last.plan], calls_.plans[plan])) return false;
  last.plan = plan_of(calls_.plans[last.plan].state, true, calls_.plans[plan].state.depth);
  return true;
}

void CpuRaster::submit(const State& state, std::span<const std::uint32_t> triangles, Query query) {
  if (triangles.empty()) return;
  const std::uint32_t plan = plan_of(state);
  calls_.writes_depth |= state.depth_test && state.depth_write;
  if (triangles.size() == 1 && query == kNoQuery && fuse(plan, triangles[0])) return;
  calls_.ops.push_back(
      {plan, static_cast<std::uint32_t>(calls_.triangles.size()), static_cast<std::uint32_t>(triangles.size()), query});
  calls_.triangles.insert(calls_.triangles.end(), triangles.begin(), triangles.end());
  if (calls_.triangles.size() >= kMostRecorded) flush();
}

void CpuRaster::flush() {
  if (calls_.empty()) return;
  if (unsaved_) {
    const auto& clears = calls_.clears;
    const bool drop = std::any_of(clears.begin(), clears.end(), [](const Clear& clear) {
      return clear.buffer == Buffer::depth && clear.before == 0;
    });
    if (drop)
      ++drops_;
    else
      save();
    unsaved_ = false;
  }
  if (stale_) {
    parts_.reset(geometry_, camera_, target_);
    stale_ = false;
  }
  parts_.drop_lines();
  parts_.prepare(workers_, calls_.triangles);
  for (Op& op : calls_.ops) {
    const State& state = calls_.plans[op.plan].state;
    if (state.fill != Fill::line) continue;
    op.lines = static_cast<std::uint32_t>(calls_.line_parts.size());
    for (std::uint32_t i = 0; i < op.count; ++i)
      calls_.line_parts.push_back(parts_.add_lines(state, calls_.triangles[op.first + i]));
  }
  counters_.fragments += frame_.run(calls_, parts_, results_, saves_ <= drops_, &unsaved_);
  std::swap(calls_, past_);
  calls_.reset();
}

void CpuRaster::save() {
  if (!unsaved_) return;
  frame_.replay(past_, parts_);
  unsaved_ = false;
  ++saves_;
}

}  // namespace
}  // namespace cpu

std::unique_ptr<Raster> make_cpu_raster(Workers& workers, Simd simd) {
  const cpu::TileKernel kernel = cpu::tile_kernel(simd);
  if (kernel == nullptr) throw Error("raster: this machine lacks the requested instruction set");
  return std::make_unique<cpu::CpuRaster>(workers, kernel);
}

}  // namespace sightline::papers::raster
