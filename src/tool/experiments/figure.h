// Pictures of sets of triangles, as the papers' figures show them, by our own renderer: a few panels side by side as
// one PNG of at most kMostBytes.
#pragma once

#include "experiments/experiment.h"
#include "picture/picture.h"

namespace sightline::experiments {

using picture::FigureMesh;
using picture::Ink;

/// One view of some meshes.
struct Panel {
  std::vector<FigureMesh> meshes;
  Vec3d direction = {-0.55, -0.6, -0.7};  ///< of the view; y is up
};
inline constexpr std::size_t kMostBytes = 60'000;
inline constexpr std::uint32_t kPanelWidth = 340, kPanelHeight = 280;

/// The panels from left to right. Where the file would be too large, light has fewer levels and panels are smaller.
Figure figure(const Settings& settings, std::string file, std::string caption, std::span<const Panel> panels);

/// All triangles plain.
Panel plain_panel(std::span<const MeshView> meshes);
/// The potentially colliding set of a run in red; the other triangles pale, or absent.
Panel set_panel(std::span<const MeshView> meshes, const Report& report, Ink others = Ink::pale);
/// The triangles of the contacts of a run in green; the other triangles pale.
Panel contact_panel(std::span<const MeshView> meshes, const Report& report);
/// The set of a run with Images::record_dropped, after so many of its passes; the other triangles absent.
Panel pruning_panel(std::span<const MeshView> meshes, const Report& report, std::size_t passes);
/// The faces that velocity culling dropped (a run with Images::record_dropped) in pale blue; the other faces plain.
Panel culled_panel(std::span<const MeshView> meshes, const Report& report);

/// Boldt and Meyer, figures 6, 7 and 12: contacts of the deformed bunny and of two cows, and the bunny's set after each
/// pass.
void add_boldt_meyer_figures(Section& section, const Settings& settings);
/// Vaněček, figures 4 and 5: two tori with lines along their relative velocities, and their faces that are culled.
void add_vanecek_figures(Section& section, const Settings& settings);

}  // namespace sightline::experiments
