// The steps of a picture:
// 1. All parts into one model of unit size, painted by kind; clusters.
// 2. The viewpoint.
// 3. Triangle numbers for nine samples a pixel: of all triangles, and of those in contact alone.
// 4. Depth, ambient occlusion, shading, edges; hidden contacts shine through.
// 5. The contacts' lines on top.
// 6. If the largest cluster is small, an enlarged view of it in the emptiest corner.
#include "picture/picture.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "picture/lines.h"
#include "picture/notes.h"
#include "sightline/mesh.h"

namespace sightline::picture {
namespace {

constexpr std::uint64_t kManyPixels = 4'000'000;  // above it four samples a pixel instead of nine

constexpr double kReach = 0.07;  // of the height: how far from a contact its triangles show its colour

// Of kDrawSteps: the model takes kModelSteps, the viewpoint one for each direction, each of the two views four times
// kViewSteps.
constexpr std::uint64_t kModelSteps = 10, kViewSteps = 5;

void done(const report::WriteOptions& options, std::uint64_t steps) {
  if (options.cancel && options.cancel()) throw report::Cancelled{};
  if (options.progress) options.progress(steps);
}

Lens lens_for(const Vec3d& direction, std::span<const Vec3d> points, const PictureOptions& options) {
  Vec3d up = {};
  up[options.up] = 1;
  return fit_lens(direction, up, static_cast<double>(options.width) / options.height, points);
}

const Notes kNone = {};

class Studio {
 public:
  Studio(const Model& model, const PictureOptions& options, const Notes& notes = kNone)
      : model_(model),
        options_(options),
        notes_(notes),
        workers_(options.run.threads),
        drawer_(workers_, options.simd, model.positions, model.triangles),
        normals_(model),
        all_(model.triangles.size()) {
    std::iota(all_.begin(), all_.end(), 0u);
    if (notes.inner.empty()) return;
    std::vector<bool> is_inner(model.parts);
    for (const std::uint32_t part : notes.inner) is_inner.at(part) = true;
    for (std::uint32_t i = 0; i < model.triangles.size(); ++i)
      if (is_inner[model.part[i]]) inner_.push_back(i);
  }

  /// `texts`: names and gaps, too.
  Light take(bool texts) {
    const Lens lens = lens_for(direction(), model_.positions, options_);
    std::vector<float> depth;
    std::vector<std::uint32_t> seen;
    const bool named = texts && !notes_.names.empty();
    Light light = view(lens, options_.width, options_.height, kAbove, kBelow, depth, named ? &seen : nullptr);
    const std::vector<Area> taken = enlarge(light, lens, depth);
    if (texts) write_over(light, lens, model_, notes_, seen, taken, scale(options_.height));
    return light;
  }
  inline static const Vec3d kAbove = linear(250, 250, 249), kBelow = linear(226, 229, 233);  // the background

  /// A figure's view.
  Light take_along(const Vec3d& direction) {
    const Lens lens = lens_for(direction, model_.positions, options_);
    std::vector<float> depth;
    return view(lens, options_.width, options_.height, linear(255, 255, 255), linear(255, 255, 255), depth);
  }

  Vec3d direction() { return choose_direction(model_, drawer_, options_.up, options_.run); }
  /// The view of a moment.
  Light take_through(const Lens& lens) {
    std::vector<float> depth;
    return view(lens, options_.width, options_.height, kAbove, kBelow, depth);
  }

 private:
  double scale(std::uint32_t height) const { return std::max(0.6, height / 1000.0); }

  /// `seen` gets the part of each pixel, or kNothing, if it is not null.
  Light view(const Lens& lens, std::uint32_t width, std::uint32_t height, const Vec3d& above, const Vec3d& below,
             std::vector<float>& depth, std::vector<std::uint32_t>* seen = nullptr) {
    done(options_.run, kViewSteps);
    const std::uint32_t ss = std::uint64_t{width} * height > kManyPixels ? 2 : 3;
    const Ids ids = drawer_.draw(lens, width * ss, height * ss, all_);
    const Ids touched = drawer_.draw(lens, width * ss, height * ss, model_.touched);
    normals_.prepare(ids.id, workers_);
    normals_.prepare(touched.id, workers_);
    const Ids inside = inner_.empty() ? Ids{} : drawer_.draw(lens, width * ss, height * ss, inner_);
    normals_.prepare(inside.id, workers_);
    if (seen != nullptr) *seen = parts_in(ids, inside, ss);
    done(options_.run, kViewSteps);
    const Surface surface(model_, normals_, lens, ids, ss);
    depth = depths(surface, workers_);
    const ContactLines lines(model_, lens, width, height, depth, scale(options_.height));
    const Fields fields{ambient(surface, depth, workers_),
                        model_.colour.empty() ? lines.nearness(kReach * options_.height) : everywhere(depth.size()),
                        inner_.empty() ? nullptr : &inside};
    done(options_.run, kViewSteps);
    Light background{width, height, std::vector<Vec3f>(std::size_t{width} * height)};
    for (std::uint32_t y = 0; y < height; ++y) {
      const Vec3d c = mix(below, above, (y + 0.5) / height);
      for (std::uint32_t x = 0; x < width; ++x)
        background.at(x, y) = {static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2])};
    }
    Light light = shade(model_, surface, touched, fields, background, workers_);
    done(options_.run, kViewSteps);
    lines.blend(light);
    return light;
  }

  /// The part that is seen in the middle of each pixel.
  std::vector<std::uint32_t> parts_in(const Ids& ids, const Ids& inside, std::uint32_t ss) const {
    std::vector<std::uint32_t> parts;
    parts.reserve(ids.id.size() / (std::size_t{ss} * ss));
    for (std::uint32_t y = ss / 2; y < ids.height; y += ss)
      for (std::uint32_t x = ss / 2; x < ids.width; x += ss) {
        const bool through = !inside.id.empty() && inside.at(x, y) != kNothing;
        const std::uint32_t id = through ? inside.at(x, y) : ids.at(x, y);
        parts.push_back(id == kNothing ? kNothing : model_.part[id]);
      }
    return parts;
  }

  /// All triangles show all of their colour.
  static Nearness everywhere(std::size_t pixels) {
    return {std::vector<float>(pixels, 1), std::vector<std::uint32_t>(pixels, kNothing)};
  }

  // The window of the largest cluster, in the units of the lens.
  Area place_window(const Lens& lens) const {
    Area box{1e300, 1e300, -1e300, -1e300};
    for (const std::uint32_t i : model_.place)
      for (std::uint64_t k = model_.outlines.start[i]; k < model_.outlines.start[i + 1]; ++k) {
        const Vec3d c = lens.to_camera(model_.outlines.points[k]);
        const double x = c[0] / c[2], y = c[1] / c[2];
        box = {std::min(box.left, x), std::min(box.bottom, y), std::max(box.right, x), std::max(box.top, y)};
      }
    return box;
  }

  /// Where the enlarged view and its frame are.
  std::vector<Area> enlarge(Light& light, const Lens& lens, const std::vector<float>& depth) {
    if (model_.place.empty()) return {};
    const double window = lens.top - lens.bottom;
    const Area place = place_window(lens);
    constexpr double kSmall = 0.16, kShare = 0.40, kLeast = 0.012;
    const double extent = std::max(place.height(), place.width());
    if (extent > kSmall * window || light.height < 200 || light.width < 200) return {};
    const auto side = static_cast<std::uint32_t>(kShare * std::min(light.height, light.width));
    const double half = std::max(0.8 * extent, kLeast * window / 2);
    const double x = (place.left + place.right) / 2, y = (place.bottom + place.top) / 2;
    Lens close = lens;
    close.left = x - half, close.right_edge = x + half;
    close.bottom = y - half, close.top = y + half;
    std::vector<float> ignored;
    const Light inset = view(close, side, side, linear(255, 255, 255), linear(244, 245, 247), ignored);
    return paste(light, inset, lens, {x - half, y - half, x + half, y + half}, depth);
  }

  // Into the corner that hides least of the model, farthest from the place among equals.
  std::vector<Area> paste(Light& light, const Light& inset, const Lens& lens, const Area& shown,
                          const std::vector<float>& depth) {
    const auto margin = static_cast<std::uint32_t>(0.03 * light.height);
    const std::uint32_t far_x = light.width - margin - inset.width, far_y = light.height - margin - inset.height;
    const std::uint32_t corners[4][2] = {{far_x, far_y}, {margin, far_y}, {far_x, margin}, {margin, margin}};
    const double pixel = (lens.top - lens.bottom) / light.height;
    const Area frame{(shown.left - lens.left) / pixel, (shown.bottom - lens.bottom) / pixel,
                     (shown.right - lens.left) / pixel, (shown.top - lens.bottom) / pixel};
    double least = 1e300;
    std::uint32_t x0 = far_x, y0 = far_y;
    for (const auto& [x, y] : corners) {
      double hidden = 0;
      for (std::uint32_t row = y; row < y + inset.height; ++row)
        for (std::uint32_t column = x; column < x + inset.width; ++column)
          hidden += depth[std::size_t{row} * light.width + column] != 0;
      const bool over =
          frame.right > x && frame.left < x + inset.width && frame.top > y && frame.bottom < y + inset.height;
      if (over) hidden += 1e9;
      if (hidden < least) least = hidden, x0 = x, y0 = y;
    }
    const double s = scale(light.height);
    const Area window{x0 + 0.0, y0 + 0.0, x0 + 0.0 + inset.width, y0 + 0.0 + inset.height};
    // Lines from the frame to the window, under it; then the window; then both frames.
    Pen halo(light.width, light.height), lead(light.width, light.height);
    const auto corner = [](const Area& b, int i) {
      return std::array{(i & 1) != 0 ? b.right : b.left, (i & 2) != 0 ? b.top : b.bottom};
    };
    for (Pen* pen : {&halo, &lead}) {
      const double thick = (pen == &halo ? 3.5 : 1.3) * s;
      for (int i = 0; i < 4; ++i) {
        const auto [fx, fy] = corner(frame, i);
        const auto [wx, wy] = corner(window, i);
        // Two of the four run outside both boxes; the others would cross one of them.
        if (leaves(frame, fx, fy, wx - fx, wy - fy) && leaves(window, wx, wy, fx - wx, fy - wy))
          pen->line(fx, fy, wx, wy, thick, pen == &halo ? 0.5 : 0.7);
      }
      outline(*pen, frame, thick * 1.2);
    }
    halo.blend(light, linear(255, 255, 255));
    lead.blend(light, linear(60, 66, 76));
    for (std::uint32_t y = 0; y < inset.height; ++y)
      for (std::uint32_t x = 0; x < inset.width; ++x)
        light.at(x0 + x, y0 + y) = inset.pixel[std::size_t{y} * inset.width + x];
    Pen border(light.width, light.height);
    outline(border, window, 2 * s);
    border.blend(light, linear(60, 66, 76));
    return {{window.left, window.bottom, window.right, window.top}, {frame.left, frame.bottom, frame.right, frame.top}};
  }
  /// Whether the way from a corner of the box in this direction does not enter it.
  static bool leaves(const Area& box, double x, double y, double dx, double dy) {
    const bool into_x = x == box.left ? dx > 0 : dx < 0, into_y = y == box.bottom ? dy > 0 : dy < 0;
    return !(into_x && into_y);
  }
  static void outline(Pen& pen, const Area& b, double thickness) {
    pen.line(b.left, b.bottom, b.right, b.bottom, thickness);
    pen.line(b.right, b.bottom, b.right, b.top, thickness);
    pen.line(b.right, b.top, b.left, b.top, thickness);
    pen.line(b.left, b.top, b.left, b.bottom, thickness);
  }

  const Model& model_;
  const PictureOptions& options_;
  const Notes& notes_;
  Workers workers_;
  Drawer drawer_;
  Normals normals_;
  std::vector<std::uint32_t> all_, inner_;  ///< triangles: all, and those of Notes::inner
};

void check_size(const PictureOptions& options) {
  for (const std::uint32_t side : {options.width, options.height})
    if (side < kLeastSide || side > kMostSide)
      throw Error(fmt::format("picture of {}x{} pixels: each side must have {} to {}", options.width, options.height,
                              kLeastSide, kMostSide));
}

Picture encoded(const Light& light) {
  Picture picture{light.width, light.height, {}};
  picture.rgb.reserve(light.pixel.size() * 3);
  for (std::uint32_t y = light.height; y-- > 0;)
    for (std::uint32_t x = 0; x < light.width; ++x)
      for (const float c : light.pixel[std::size_t{y} * light.width + x]) picture.rgb.push_back(encode(c));
  return picture;
}

}  // namespace

Picture draw(const report::Contacts& contacts, const PictureOptions& options, const Notes& notes) {
  check_size(options);
  report::WriteOptions quiet = options.run;
  quiet.progress = {};
  const Model model = make_model(contacts, quiet);
  done(options.run, kModelSteps);
  const Strips strips = strips_of(notes, options);
  const bool texts = strips.above > 0;
  PictureOptions inner = options;
  inner.height -= strips.above + strips.below;
  const Light light = Studio(model, inner, notes).take(texts);
  if (!texts) return encoded(light);
  return encoded(with_strips(light, strips, notes, report::count_kinds(contacts.list),
                             std::max(0.6, options.height / 1000.0), Studio::kAbove, Studio::kBelow));
}

std::vector<Picture> draw_moments(std::span<const report::Contacts> moments, const PictureOptions& options) {
  check_size(options);
  if (moments.empty()) return {};
  Box halves;
  for (const report::Contacts& moment : moments) halves.add(halves_of(moment.parts));
  const Frame frame = frame_of(halves);
  const auto count = [](const report::Contacts& moment) { return moment.list.size(); };
  const Model fullest = make_model(*std::ranges::max_element(moments, {}, count), options.run, frame);
  std::vector<Vec3d> points;
  for (const report::Contacts& moment : moments)
    for (const report::Part& part : moment.parts)
      for (const Triangle& t : part.mesh.triangles)
        for (const std::uint32_t v : t) points.push_back(frame(part.mesh.position(v)));
  const Lens lens = lens_for(Studio(fullest, options).direction(), points, options);
  std::vector<Picture> pictures;
  for (const report::Contacts& moment : moments) {
    const Model model = make_model(moment, options.run, frame);
    pictures.push_back(encoded(Studio(model, options).take_through(lens)));
  }
  return pictures;
}

Picture draw(std::span<const FigureMesh> meshes, const Vec3d& direction, const PictureOptions& options) {
  check_size(options);
  const Model model = make_model(meshes);
  return encoded(Studio(model, options).take_along(direction));
}

}  // namespace sightline::picture
