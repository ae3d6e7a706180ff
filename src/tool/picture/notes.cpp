#include "picture/notes.h"

#include <algorithm>

#include "picture/font.h"

namespace sightline::picture {
namespace {

// Pixels in a picture that is 1000 pixels high; letters by the height of a capital one.
constexpr double kTitle = 19, kFacts = 13, kName = 14, kLegend = 12.5, kSideMargin = 24;
constexpr double kStripAbove = 72, kStripBelow = 46;
constexpr double kThin = 0.13, kBold = 0.18;  // lines of letters, of their height
constexpr std::uint32_t kLeast = 300;         // in a smaller picture texts would hide the model

const Vec3d kInk = linear(24, 26, 32), kGrey = linear(84, 90, 100), kWhite = linear(255, 255, 255);

/// A text with a halo, for any ground.
class Writer {
 public:
  explicit Writer(const Light& light) : halo_(light.width, light.height), ink_(light.width, light.height) {}
  void text(std::string_view text, double x, double y, double height) {
    write_text(halo_, text, x, y, height, 0.55 * height);
    write_text(ink_, text, x, y, height, kThin * height);
  }
  void line(double x0, double y0, double x1, double y1, double thickness) {
    halo_.line(x0, y0, x1, y1, 2.4 * thickness);
    ink_.line(x0, y0, x1, y1, thickness);
  }
  void blend(Light& light) const {
    halo_.blend(light, kWhite);
    ink_.blend(light, kInk);
  }

 private:
  Pen halo_, ink_;
};

/// About three times the distance of each pixel from the nearest pixel of another part, or from the border.
std::vector<std::uint32_t> depths_of(const std::vector<std::uint32_t>& seen, std::int64_t width, std::int64_t height) {
  std::vector<std::uint32_t> depth(seen.size(), 0xFFFF);
  const auto sweep = [&](std::int64_t x, std::int64_t y, int side) {
    const auto at = static_cast<std::size_t>(y * width + x);
    const std::int64_t steps[4][3] = {{-1, 0, 3}, {0, -1, 3}, {-1, -1, 4}, {1, -1, 4}};
    for (const auto& [dx, dy, cost] : steps) {
      const std::int64_t px = x + side * dx, py = y + side * dy;
      const bool inside = px >= 0 && py >= 0 && px < width && py < height;
      const auto other = static_cast<std::size_t>(py * width + px);
      const std::uint32_t from = inside && seen[other] == seen[at] ? depth[other] : 0;
      depth[at] = std::min(depth[at], from + static_cast<std::uint32_t>(cost));
    }
  };
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) sweep(x, y, 1);
  for (std::int64_t y = height; y-- > 0;)
    for (std::int64_t x = width; x-- > 0;) sweep(x, y, -1);
  return depth;
}

struct Place {
  double x = 0, y = 0;
  std::uint32_t depth = 0;
};

/// The deepest pixel of each block of pixels, for each part; the deepest first.
std::vector<std::vector<Place>> places_of(const std::vector<std::uint32_t>& seen, const Light& view,
                                          std::uint32_t parts) {
  const std::vector<std::uint32_t> depth = depths_of(seen, view.width, view.height);
  std::vector<std::vector<Place>> places(parts);
  constexpr std::uint32_t kBlock = 16;
  for (std::uint32_t top = 0; top < view.height; top += kBlock)
    for (std::uint32_t left = 0; left < view.width; left += kBlock) {
      std::vector<std::pair<std::uint32_t, Place>> best;
      for (std::uint32_t y = top; y < std::min(view.height, top + kBlock); ++y)
        for (std::uint32_t x = left; x < std::min(view.width, left + kBlock); ++x) {
          const std::size_t at = std::size_t{y} * view.width + x;
          if (seen[at] >= parts) continue;
          auto mine = std::ranges::find(best, seen[at], [](const auto& entry) { return entry.first; });
          if (mine == best.end()) mine = best.insert(mine, std::pair(seen[at], Place{}));
          if (depth[at] > mine->second.depth) mine->second = {x + 0.5, y + 0.5, depth[at]};
        }
      for (const auto& [part, place] : best) places[part].push_back(place);
    }
  for (std::vector<Place>& list : places)
    std::ranges::stable_sort(list, [](const Place& p, const Place& q) { return p.depth > q.depth; });
  return places;
}

class Labels {
 public:
  Labels(Light& view, std::vector<Area> taken, double scale)
      : view_(view), writer_(view), taken_(std::move(taken)), scale_(scale) {}

  void gap(const Vec3d& p, const Vec3d& q, const std::string& text) {
    const double thick = 2.6 * scale_;
    writer_.line(p[0], p[1], q[0], q[1], thick);
    for (const Vec3d* end : {&p, &q}) writer_.line((*end)[0], (*end)[1], (*end)[0], (*end)[1], 2.6 * thick);
    const double x = (p[0] + q[0]) / 2, y = std::max(p[1], q[1]) + 12 * scale_;
    const Area area = clamped(area_of(text, x, y + height() / 2));
    writer_.text(text, area.left + pad(), area.bottom + pad(), height());
    taken_.push_back(area);
  }

  void name(const std::string& text, const std::vector<Place>& places) {
    constexpr std::size_t kTries = 40;
    for (std::size_t i = 0; i < std::min(kTries, places.size()); ++i)
      if (put(text, places[i])) return;
  }

  void blend() { writer_.blend(view_); }

 private:
  double height() const { return kName * scale_; }
  double pad() const { return 0.45 * height(); }
  Area area_of(const std::string& text, double x, double y) const {
    const double half = text_width(text, height()) / 2 + pad(), tall = height() / 2 + pad();
    return {x - half, y - tall, x + half, y + tall};
  }
  Area clamped(Area area) const {
    const double dx = std::max(0.0, -area.left) - std::max(0.0, area.right - view_.width);
    const double dy = std::max(0.0, -area.bottom) - std::max(0.0, area.top - view_.height);
    return {area.left + dx, area.bottom + dy, area.right + dx, area.top + dy};
  }

  // On the part where the part is thick enough for the letters, else beside it with a line.
  bool put(const std::string& text, const Place& place) {
    const bool on = place.depth > 3 * 0.8 * height();
    const double away = 2.2 * height();
    const double side = text_width(text, height()) / 2 + away;
    const double offsets[4][2] = {{side, away}, {-side, away}, {side, -away}, {-side, -away}};
    for (const auto& [dx, dy] : offsets) {
      const Area area = on ? clamped(area_of(text, place.x, place.y)) : area_of(text, place.x + dx, place.y + dy);
      const bool outside = area.left < 0 || area.bottom < 0 || area.right > view_.width || area.top > view_.height;
      if (outside || std::ranges::any_of(taken_, [&](const Area& other) { return other.meets(area); })) {
        if (on) return false;
        continue;
      }
      if (!on) {
        const double end = dx > 0 ? area.left : area.right;
        writer_.line(place.x, place.y, end, (area.bottom + area.top) / 2, 1.2 * scale_);
        writer_.line(place.x, place.y, place.x, place.y, 4 * scale_);
      }
      writer_.text(text, area.left + pad(), area.bottom + pad(), height());
      taken_.push_back(area);
      return true;
    }
    return false;
  }

  Light& view_;
  Writer writer_;
  std::vector<Area> taken_;
  double scale_;
};

struct Entry {
  std::string text;
  Vec3d colour;
  bool line = false;
};

std::vector<Entry> legend_of(const Notes& notes, const report::KindCounts& counts) {
  std::vector<Entry> entries;
  for (const Kind kind : report::kKindsBySeverity) {
    const std::uint64_t count = counts.of[static_cast<int>(kind)];
    if (count == 0) continue;
    const auto [red, green, blue] = report::paint_colour(report::paint_of(kind));
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
    entries.push_back({fmt::format("{} {}", digits, to_string(kind)), linear(red, green, blue)});
  }
  if (!notes.inner.empty()) entries.push_back({"inside another part", kInside});
  if (!notes.gaps.empty()) entries.push_back({"near: the gap", kInk, true});
  if (entries.empty()) entries.push_back({notes.clean ? "no contacts" : "no contacts found", kGrey});
  return entries;
}

}  // namespace

Strips strips_of(const Notes& notes, const PictureOptions& options) {
  if (notes.title.empty() || std::min(options.width, options.height) < kLeast) return {};
  const double scale = std::max(0.6, options.height / 1000.0);
  return {static_cast<std::uint32_t>(kStripAbove * scale), static_cast<std::uint32_t>(kStripBelow * scale)};
}

void write_over(Light& view, const Lens& lens, const Model& model, const Notes& notes,
                const std::vector<std::uint32_t>& seen, std::vector<Area> taken, double scale) {
  if (notes.gaps.empty() && notes.names.empty()) return;
  Labels labels(view, std::move(taken), scale);
  const double pixel = (lens.top - lens.bottom) / view.height;
  for (const Notes::Gap& gap : notes.gaps) {
    std::array<Vec3d, 2> ends = gap.ends;
    for (Vec3d& p : ends) {
      const Vec3d c = lens.to_camera(model.frame(p));
      const double z = std::max(c[2], 0.5 * lens.near);
      p = {(c[0] / z - lens.left) / pixel, (c[1] / z - lens.bottom) / pixel, z};
    }
    labels.gap(ends[0], ends[1], gap.text);
  }
  const std::vector<std::vector<Place>> places =
      notes.names.empty() ? std::vector<std::vector<Place>>{} : places_of(seen, view, model.parts);
  for (const auto& [part, text] : notes.names)
    if (part < places.size()) labels.name(fitted(text, kName * scale, 0.3 * view.width), places[part]);
  labels.blend();
}

Light with_strips(const Light& view, const Strips& strips, const Notes& notes, const report::KindCounts& counts,
                  double scale, const Vec3d& above, const Vec3d& below) {
  const auto filled = [&](std::uint32_t height, const Vec3d& c) {
    const Vec3f colour = {static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2])};
    return Light{view.width, height, std::vector<Vec3f>(std::size_t{view.width} * height, colour)};
  };
  const double margin = kSideMargin * scale, room = view.width - 2 * margin;

  Light head = filled(strips.above, above);
  Pen title(head.width, head.height), facts(head.width, head.height);
  const double first = strips.above - (16 + kTitle) * scale;
  write_text(title, fitted(notes.title, kTitle * scale, room), margin, first, kTitle * scale, kBold * kTitle * scale);
  write_text(facts, fitted(notes.facts, kFacts * scale, room), margin, first - (11 + kFacts) * scale, kFacts * scale,
             kThin * kFacts * scale);
  title.blend(head, kInk);
  facts.blend(head, kGrey);

  Light foot = filled(strips.below, below);
  const std::vector<Entry> entries = legend_of(notes, counts);
  double size = kLegend * scale, wide = 0;
  for (const Entry& entry : entries) wide += text_width(entry.text, size) + (entry.line ? 5.2 : 4.4) * size;
  if (wide > room) size *= room / wide;
  double x = margin;
  Pen words(foot.width, foot.height);
  const double middle = strips.below / 2.0;
  for (const Entry& entry : entries) {
    Pen sign(foot.width, foot.height);
    const double end = x + (entry.line ? 1.8 : 0.6) * size;
    sign.line(x + 0.6 * size, middle, end, middle, (entry.line ? 0.2 : 1.1) * size);
    if (entry.line)
      for (const double dot : {x + 0.6 * size, end}) sign.line(dot, middle, dot, middle, 0.5 * size);
    sign.blend(foot, entry.colour);
    write_text(words, entry.text, end + 1.3 * size, middle - size / 2, size, kThin * size);
    x = end + 1.3 * size + text_width(entry.text, size) + 2.5 * size;
  }
  words.blend(foot, kInk);

  Light all{view.width, view.height + strips.above + strips.below, std::move(foot.pixel)};
  all.pixel.insert(all.pixel.end(), view.pixel.begin(), view.pixel.end());
  all.pixel.insert(all.pixel.end(), head.pixel.begin(), head.pixel.end());
  return all;
}

}  // namespace sightline::picture
