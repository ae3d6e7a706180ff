#include "experiments/figure.h"

#include <algorithm>
#include <cmath>

#include "experiments/support.h"

namespace sightline::experiments {
namespace {

using picture::Picture;

/// Side by side, with a white line between them.
Picture joined(const std::vector<Picture>& panels) {
  constexpr std::uint32_t kGap = 6;
  Picture all;
  for (const Picture& panel : panels) {
    all.width += panel.width + (all.width > 0 ? kGap : 0);
    all.height = std::max(all.height, panel.height);
  }
  all.rgb.assign(std::size_t{3} * all.width * all.height, 255);
  std::size_t left = 0;
  for (const Picture& panel : panels) {
    for (std::size_t y = 0; y < panel.height; ++y)
      std::copy_n(panel.rgb.begin() + static_cast<std::ptrdiff_t>(3 * y * panel.width), 3 * panel.width,
                  all.rgb.begin() + static_cast<std::ptrdiff_t>(3 * (y * all.width + left)));
    left += panel.width + kGap;
  }
  return all;
}

/// `bits` bits for each channel; black stays black and white stays white.
Picture rounded(Picture picture, int bits) {
  const int most = (1 << bits) - 1;
  for (std::uint8_t& byte : picture.rgb) {
    const int level = (byte * most + 127) / 255;
    byte = static_cast<std::uint8_t>((level * 255 + most / 2) / most);
  }
  return picture;
}

std::vector<FigureMesh> inked(std::span<const MeshView> meshes, Ink ink) {
  std::vector<FigureMesh> all;
  for (const MeshView& mesh : meshes) all.push_back({mesh, std::vector<Ink>(mesh.triangles.size(), ink)});
  return all;
}

}  // namespace

Figure figure(const Settings& settings, std::string file, std::string caption, std::span<const Panel> panels) {
  std::string png;
  const auto fits = [&png](const Picture& picture, int bits) {
    png = picture::png_of(rounded(picture, bits));
    return png.size() <= kMostBytes;
  };
  Picture whole;
  for (const std::uint32_t percent : {100u, 88u, 76u}) {
    picture::PictureOptions options{
        .width = kPanelWidth * percent / 100, .height = kPanelHeight * percent / 100, .up = 1};
    options.run.threads = settings.threads;
    std::vector<Picture> pictures;
    for (const Panel& panel : panels) pictures.push_back(picture::draw(panel.meshes, panel.direction, options));
    whole = joined(pictures);
    if (fits(whole, 6) || fits(whole, 5)) break;
  }
  for (int bits = 4; png.size() > kMostBytes && bits >= 2; --bits) fits(whole, bits);
  return {std::move(file), std::move(caption), std::move(png)};
}

Panel plain_panel(std::span<const MeshView> meshes) { return {inked(meshes, Ink::plain)}; }

Panel set_panel(std::span<const MeshView> meshes, const Report& report, Ink others) {
  Panel panel{inked(meshes, others)};
  for (const papers::TriangleRef& t : report.method.pcs) panel.meshes[t.object].inks[t.triangle] = Ink::set;
  return panel;
}

Panel contact_panel(std::span<const MeshView> meshes, const Report& report) {
  Panel panel{inked(meshes, Ink::pale)};
  for (const Contact& contact : report.contacts) {
    panel.meshes[contact.object_a].inks[contact.a] = Ink::contact;
    panel.meshes[contact.object_b].inks[contact.b] = Ink::contact;
  }
  return panel;
}

Panel pruning_panel(std::span<const MeshView> meshes, const Report& report, std::size_t passes) {
  Panel panel{inked(meshes, Ink::plain)};
  for (const papers::Dropped& dropped : report.method.dropped)
    if (dropped.pass < passes) panel.meshes[dropped.triangle.object].inks[dropped.triangle.triangle] = Ink::absent;
  return panel;
}

Panel culled_panel(std::span<const MeshView> meshes, const Report& report) {
  Panel panel{inked(meshes, Ink::plain)};
  for (const papers::Dropped& dropped : report.method.dropped)
    if (dropped.pass == 0) panel.meshes[dropped.triangle.object].inks[dropped.triangle.triangle] = Ink::culled;
  return panel;
}

namespace {

Report run_self_cullide(const Settings& settings, const Mesh& mesh) {
  MethodSettings options = options_of(settings, MethodName::self_cullide, Precision::image);
  options.paper = papers::method::as_published(MethodName::self_cullide);
  options.paper.record_dropped = true;
  return run(mesh, options);
}

/// The end of a pass of the paper: calls of reducePCS with the same depth of the hierarchy.
struct EndOfPass {
  std::size_t calls, pass;  ///< so many, from the first pass on
};
/// Those after which the set is another one than after the last of them, and not empty.
std::vector<EndOfPass> ends_of_passes(const MethodReport& how) {
  std::vector<EndOfPass> ends;
  std::size_t pass = 0;
  std::uint64_t shown = how.passes.empty() ? 0 : how.passes[0].pcs_before;
  for (std::size_t i = 0; i < how.passes.size(); ++i) {
    const Pass& call = how.passes[i];
    const bool last = i + 1 == how.passes.size();
    if (!last && how.passes[i + 1].iteration == call.iteration && how.passes[i + 1].level == call.level) continue;
    ++pass;
    if (call.pcs_after == 0 || call.pcs_after == shown) continue;
    shown = call.pcs_after;
    ends.push_back({i + 1, pass});
  }
  return ends;
}

/// At most `most` of them, the first and the last among these.
std::vector<EndOfPass> spread_out(const std::vector<EndOfPass>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<EndOfPass> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

}  // namespace

void add_boldt_meyer_figures(Section& section, const Settings& settings) {
  settings.progress("pictures");
  const std::size_t n = settings.quick ? 1000 : 5000;
  const Mesh bunny = scenes::deformed_body(n, settings.bunny ? &*settings.bunny : nullptr);
  const Mesh cows = scenes::two_cows(settings.quick ? 1000 : 3000);
  const Report of_bunny = run_self_cullide(settings, bunny), of_cows = run_self_cullide(settings, cows);
  const MeshView bunny_view[] = {bunny}, cows_view[] = {cows};
  const Panel both[] = {contact_panel(bunny_view, of_bunny), contact_panel(cows_view, of_cows)};
  section.figures.push_back(figure(
      settings, "boldt-meyer-6-7",
      fmt::format("Figures 6 and 7: the deformed bunny ({} triangles, {} contacts found as published) and the cows "
                  "({} triangles, {} contacts found); triangles in these contacts are green.",
                  bunny.triangles.size(), of_bunny.contacts.size(), cows.triangles.size(), of_cows.contacts.size()),
      both));
  std::vector<Panel> sequence = {plain_panel(bunny_view)};
  std::string sizes = fmt::format("{}", bunny.triangles.size());
  for (const auto& [calls, pass] : spread_out(ends_of_passes(of_bunny.method), 3)) {
    sequence.push_back(pruning_panel(bunny_view, of_bunny, calls));
    sizes += fmt::format(", {} after pass {}", of_bunny.method.passes[calls - 1].pcs_after, pass);
  }
  section.figures.push_back(
      figure(settings, "boldt-meyer-12", "Figure 12: the set of the bunny during pruning: " + sizes + ".", sequence));
}

namespace {

/// A thin pyramid along each vector.
Mesh needles(const std::vector<Vec3d>& from, const std::vector<Vec3d>& along, double width) {
  std::vector<Vec3d> points;
  Mesh mesh;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Vec3d& d = along[i];
    const double length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (length == 0) continue;
    // Two directions across d.
    const Vec3d other = std::abs(d[0]) < 0.6 * length ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    Vec3d u = {d[1] * other[2] - d[2] * other[1], d[2] * other[0] - d[0] * other[2], d[0] * other[1] - d[1] * other[0]};
    Vec3d v = {d[1] * u[2] - d[2] * u[1], d[2] * u[0] - d[0] * u[2], d[0] * u[1] - d[1] * u[0]};
    for (Vec3d* side : {&u, &v}) {
      const double norm = std::sqrt((*side)[0] * (*side)[0] + (*side)[1] * (*side)[1] + (*side)[2] * (*side)[2]);
      for (double& x : *side) x *= width / norm;
    }
    const auto first = static_cast<std::uint32_t>(points.size());
    const double shares[3][2] = {{1, 0}, {-0.5, 0.866}, {-0.5, -0.866}};
    for (const auto& [a, b] : shares)
      points.push_back(
          {from[i][0] + a * u[0] + b * v[0], from[i][1] + a * u[1] + b * v[1], from[i][2] + a * u[2] + b * v[2]});
    points.push_back({from[i][0] + d[0], from[i][1] + d[1], from[i][2] + d[2]});
    for (std::uint32_t k = 0; k < 3; ++k) mesh.triangles.push_back({first + k, first + (k + 1) % 3, first + 3});
  }
  mesh.positions = std::move(points);
  return mesh;
}

/// Velocity of a point of a body, relative to another body.
Vec3d relative_velocity(const Motion& own, const Motion& other, const Vec3d& p) {
  const auto at = [&p](const Motion& motion) {
    const Vec3d r = {p[0] - motion.center[0], p[1] - motion.center[1], p[2] - motion.center[2]};
    const Vec3d& w = motion.angular_velocity;
    return Vec3d{motion.velocity[0] + w[1] * r[2] - w[2] * r[1], motion.velocity[1] + w[2] * r[0] - w[0] * r[2],
                 motion.velocity[2] + w[0] * r[1] - w[1] * r[0]};
  };
  const Vec3d a = at(own), b = at(other);
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

}  // namespace

void add_vanecek_figures(Section& section, const Settings& settings) {
  settings.progress("pictures");
  const auto animation = scenes::approaching_tori(settings.quick ? 800 : 2400);
  for (int frame = 0; frame < 30; ++frame) animation->advance();
  const scenes::AnimationFrame& now = animation->frame();
  Scene scene = scene_of(now, false);
  MethodSettings options = options_of(settings, MethodName::velocity, Precision::image);
  options.paper.precision = {};
  options.paper.motions = motions_of(now);
  options.paper.bounding_spheres = false;
  options.paper.record_dropped = true;
  const Report report = run(scene, options);
  std::vector<MeshView> meshes;
  std::vector<Vec3d> from, along;
  double fastest = 0;
  for (std::size_t i = 0; i < now.objects.size(); ++i) {
    meshes.push_back(now.objects[i].mesh);
    for (std::size_t v = 0; v < meshes.back().positions.size(); v += 5) {  // every fifth vertex has a line
      from.push_back(meshes.back().position(v));
      along.push_back(relative_velocity(now.objects[i].motion, now.objects[1 - i].motion, from.back()));
      const Vec3d& d = along.back();
      fastest = std::max(fastest, std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
  }
  constexpr double kLongest = 0.5, kWidth = 0.025;
  for (Vec3d& d : along)
    for (double& x : d) x *= kLongest / std::max(fastest, 1e-300);
  const Mesh lines = needles(from, along, kWidth);
  Panel velocities = plain_panel(meshes), culled = culled_panel(meshes, report);
  velocities.meshes.push_back({lines, std::vector<Ink>(lines.triangles.size(), Ink::set)});
  culled.meshes.push_back({lines, std::vector<Ink>(lines.triangles.size(), Ink::absent)});  // the same window
  velocities.direction = culled.direction = {-0.15, -0.5, -0.85};
  const Panel panels[] = {std::move(velocities), std::move(culled)};
  section.figures.push_back(
      figure(settings, "vanecek-4-5",
             fmt::format("Figures 4 and 5: two tori with lines along their relative velocities, and their faces: {} of "
                         "{} move away and are culled (pale blue).",
                         report.method.culled, report.stats.triangles),
             panels));
}

}  // namespace sightline::experiments
