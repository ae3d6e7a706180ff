// The page of --report: one HTML file that shows meshes and contacts in a browser, without a network (docs/tool.md).
//
// A frame is encoded and written at once: nothing that it points to is kept, so a long sequence takes the memory of one
// frame. Frames are independent: the number of triangles, of vertices and of parts may change from one to the next.
// What stays the same (triangles, or the positions of a part that rests) is stored once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "sightline/measure.h"

namespace sightline::report {

/// The page without its data, as the viewer's build makes it (viewer/build.mjs): the title goes between the first two,
/// the data between the last two.
struct PageShell {
  std::string_view before_title, before_data, after_data;
};

/// What holds for the whole page.
struct PageInfo {
  std::string title = {};           ///< shown at the top and in the browser's tab; any bytes are safe
  std::string command = "check";    ///< "check", "clash" or "demo"
  std::string version = {};         ///< of the tool
  int up = 2;                       ///< the axis that points up when the page is opened: 0 x, 1 y, 2 z
  double clearance = 0;             ///< of clash
  std::string unit = {};            ///< of lengths, such as "m"; empty: the file does not state one
  std::size_t expected_frames = 1;  ///< about how many: the room for triangles and contacts is divided among them
  /// Frames are models of their own (several meshes on one command line), not one that moves.
  bool independent = false;
  double frames_per_second = 25;  ///< of Play
  std::string baseline = {};      ///< the report that contacts were compared with, if they were
  /// Inputs that could not be read, and why. The page must not look clean where something was not checked.
  std::vector<std::string> errors = {};
  std::vector<std::string> notes = {};  ///< sentences to show with the summary
};

/// How a method pruned its potentially colliding set. A triangle is in the set until some pass drops it, and does not
/// come back: one number for each triangle is enough.
struct PagePruning {
  static constexpr std::uint16_t kStays = 0xFFFF;  ///< is in the set after the last pass
  static constexpr std::uint16_t kNever = 0xFFFE;  ///< took no part

  struct PassInfo {
    std::string label = {};               ///< "triangles, view −z", …
    std::uint64_t before = 0, after = 0;  ///< triangles in the set
    double milliseconds = 0;
  };
  std::string method = {};            ///< "quick-cullide"
  std::vector<PassInfo> passes = {};  ///< at most 65,000
  /// Per part and triangle: the number of the pass that dropped it, counted from 0, or kStays or kNever. A part that is
  /// missing or empty here took no part.
  std::vector<std::vector<std::uint16_t>> dropped_by = {};
};

/// One state of the model and the contacts in it.
struct PageFrame {
  std::string label = {};  ///< "frame_0007.obj", "0.35 s"; empty: its number
  /// Of this model, where the page has several: as PageInfo::up and PageInfo::unit. Otherwise not used.
  int up = 2;
  std::string unit = {};
  std::span<const Part> parts =
      {};  ///< as in every report; a part that is not there (any more, or yet) has an empty mesh
  std::span<const Contact> contacts = {};  ///< canonical order; object numbers count through `parts`
  std::uint64_t found = 0;                 ///< as Report::found; the page shows it if the list is shorter
  bool complete = true;                    ///< as Report::complete
  bool can_miss = false;                   ///< as MethodReport::can_miss
  double milliseconds = 0;                 ///< of the query
  std::string error = {};                  ///< not empty: this frame could not be read or checked, and why
  std::span<const PartPair> pairs = {};    ///< of clash: pairs that are not clear
  bool pairs_known = false;
  std::span<const Overlaps::Pair> overlaps = {};  ///< of pairs of closed parts, sorted by (a, b)
  /// With a baseline: for each contact whether it is new; how many stayed and how many are gone.
  const std::vector<bool>* is_new = nullptr;
  const std::vector<bool>* pair_is_new = nullptr;  ///< for each of `pairs`
  std::uint64_t added = 0, stayed = 0, gone = 0;
  const PagePruning* pruning = nullptr;  ///< not null: the page shows a method's passes
};

/// Limits of a page. A model with more triangles is reduced around its contacts, and the page shows a note.
struct PageLimits {
  std::size_t triangles = 1'500'000;  ///< over all frames whose triangles differ
  std::size_t contacts = 500'000;     ///< listed and drawn, over all frames
};

class PageWriter {
 public:
  PageWriter(Output& output, const PageShell& shell, PageInfo info, WriteOptions options, PageLimits limits = {});
  ~PageWriter();
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  /// Throws what the output throws, Cancelled, and Error where numbers do not fit together.
  void frame(const PageFrame& frame);
  /// A fact for the whole page that is known only at its end.
  void add_note(std::string sentence);
  /// The axis that points up and the unit, where they are known only after the page was begun.
  void set_up(int axis);
  void set_unit(std::string unit);
  /// The rest of the page. The output is not committed.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sightline::report
