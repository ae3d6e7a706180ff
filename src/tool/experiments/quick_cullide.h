// The parts of Quick-CULLIDE's experiment: runs, the sweep over rounds, levels and orders, and the factors of section
// 5.1.3.
#pragma once

#include "experiments/support.h"

namespace sightline::experiments {

/// CULLIDE and Quick-CULLIDE on the same scene with the same options.
struct Both {
  Report quick, plain;
  /// Section 5.1.3: Quick-CULLIDE's set is a subset of CULLIDE's.
  bool subset() const {
    const auto &few = quick.method.pcs, &many = plain.method.pcs;
    return std::includes(many.begin(), many.end(), few.begin(), few.end());
  }
};

/// The images of the experiment: the paper's resolution, and the views of the simulation.
struct Shots {
  std::vector<View> views;
  unsigned resolution = 4096;
};
/// Both methods as their preset as_published(), or with our default options; at image precision, with these images.
MethodOptions published_options(const Shots& shots);
MethodOptions improved_options(const Shots& shots);
Both run_both(const Settings& settings, Scene& scene, const MethodOptions& options);

inline double size_of(const Report& report) { return static_cast<double>(report.method.pcs.size()); }
/// How many times the first is the second; a set without triangles counts as one triangle.
inline double times(double first, double second) { return std::max(first, 1.0) / std::max(second, 1.0); }

/// Average sizes of the set after 1, 2, 3 and all rounds of the views, for one choice of levels and order.
struct SweepRow {
  std::string simulation, levels, order;
  bool published = false;  ///< levels and order of the presets
  std::array<Average, 4> quick = {}, plain = {};
};

/// The sweep over rounds (1, 2, 3, all), levels (objects and then triangles; triangles only) and orders (back to front;
/// input).
class Sweep {
 public:
  /// Adds a frame. `upper`: the scene has a level of objects.
  void add(const Settings& settings, const std::string& simulation, Scene& scene, const Shots& shots, bool upper);
  /// The same scene with every object against itself, too (section 3.2): every triangle is an object.
  void add_self(const Settings& settings, const std::string& simulation, const scenes::AnimationFrame& frame,
                const Shots& shots);
  const std::vector<SweepRow>& rows() const { return rows_; }
  /// The row of published levels and order of a simulation, or that of triangles alone or of each triangle against all.
  enum class Levels : std::uint8_t { published, triangles, self };
  const SweepRow& row_of(const std::string& simulation, Levels levels) const;
  /// Quick-CULLIDE's set was a subset of CULLIDE's in every run.
  bool subset() const { return subset_; }
  /// CULLIDE's sets did not depend on the order.
  bool plain_ignores_order() const;
  /// After one round, Quick-CULLIDE's set is smallest back to front.
  bool back_to_front_is_best() const;
  /// How many times as many triangles input order leaves as back to front, after one round: of each pair of rows.
  Average input_order() const;
  /// How many times Quick-CULLIDE's set CULLIDE's is, in every row after every number of rounds.
  Average ratios() const;
  Table table() const;

 private:
  SweepRow& row(const std::string& simulation, const std::string& levels, bool back_to_front);
  void add_triangles(const Settings& settings, SweepRow& row, Scene& scene, MethodOptions options);
  void add_objects(const Settings& settings, SweepRow& row, Scene& scene, MethodOptions options);
  std::vector<SweepRow> rows_;
  bool subset_ = true;
};

/// Section 5.1.3, number of views: one round as published with 1, 2, 3 and 9 views.
class ViewCounts {
 public:
  void add(const Settings& settings, const std::string& simulation, Scene& scene, unsigned resolution);
  Table table() const;
  /// The sets are closest with the most views.
  bool approaches() const;
  /// With more views, both methods draw more fragments.
  bool costs_more() const;
  std::string ratios() const;
  /// How many times the fragments of one view the most views draw: Quick-CULLIDE, CULLIDE.
  std::pair<Average, Average> growth() const;

 private:
  struct Cell {
    double size = 0, milliseconds = 0, fragments = 0;
  };
  struct Row {
    std::string simulation;
    std::vector<Cell> quick, plain;  ///< for each number of views
    double ratio(std::size_t i) const { return times(plain[i].size, quick[i].size); }
  };
  std::vector<Row> rows_;
};

/// The share of the contacts of one frame that the methods miss as published, by resolution.
class MissesByResolution {
 public:
  void add(const Settings& settings, const std::string& simulation, Scene& scene, const Shots& shots);
  const Table& table() const { return table_; }

 private:
  Table table_{"Contacts missed by resolution, as published on one frame",
               {"simulation", "pixels a side", "contacts", "missed, Quick-CULLIDE", "CULLIDE"},
               {}};
};

/// Our default Quick-CULLIDE on frames one after the other, alone and in a session (papers::Session), which ends
/// pruning where the frame before ended.
class Coherence {
 public:
  void add(const Settings& settings, const std::string& simulation, Scene& scene, const Shots& shots);
  Table table() const;
  bool same() const { return same_; }  ///< all contacts
  std::size_t frames() const;

 private:
  struct Row {
    std::string simulation;
    std::shared_ptr<papers::method::Kept> kept;
    std::size_t frames = 0;
    Average fragments[2], milliseconds[2], set[2];  ///< alone, in a session; without the first frame
  };
  std::vector<Row> rows_;
  bool same_ = true;
};

/// Section 5.1.3, depth complexity: a stack of wavy sheets that touch nowhere, seen along the stack. How many objects
/// one round leaves.
struct DepthComplexity {
  Table table;
  Plot plot;
  std::size_t most = 0, plain_left = 0, quick_left = 0, quick_left_unordered = 0;  ///< of the highest stack
};
DepthComplexity depth_complexity(const Settings& settings);

}  // namespace sightline::experiments
