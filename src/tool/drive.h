// A scene whose response uses what one of the papers' methods finds (`sightline demo --drive`).
#pragma once

#include <string>

#include "scenes/papers/papers.h"
#include "tool/commands.h"

namespace sightline::tool {

/// Throws Error with the reason if the method, or the one that follows velocity culling, cannot serve the scene.
void check_drive(const scenes::PaperScene& scene, const MethodSettings& method);

/// Contacts that the exact engine finds, and how many of them a method missed.
struct Missed {
  std::uint64_t queries = 0, exact = 0, missed = 0;

  /// Adds one query; both lists are in canonical order.
  void add(const sightline::Report& exact_report, const sightline::Report& found);
  Missed& operator+=(const Missed& other);
};

/// The detector of a driven scene: the method finds what the response uses, and the exact engine counts beside it.
class Driver {
 public:
  Driver(const Settings& settings, Progress& progress) : settings_(settings), progress_(progress) {}

  scenes::Detector detector();
  /// What was missed since the last call.
  Missed take() { return std::exchange(missed_, {}); }
  /// Milliseconds of the exact engine since the last call; they are no part of the simulation.
  double take_exact_time() { return std::exchange(exact_milliseconds_, 0); }

 private:
  void detect(Scene& scene, std::span<const Motion> motions, Report& found);

  const Settings& settings_;
  Progress& progress_;
  sightline::Report exact_;
  Missed missed_;
  double exact_milliseconds_ = 0;
};

}  // namespace sightline::tool
