// The papers' experiments, run again: tables and figures with the paper's numbers beside ours, and each paper's claims
// compared with the measurements. `sightline papers` runs them and writes docs/papers.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "method/run.h"
#include "sightline/sightline.h"

namespace sightline::experiments {

using papers::MethodName;
using papers::MethodReport;
using papers::Motion;
using papers::Pass;
using papers::Penetration;
using papers::Precision;
using papers::Report;
using papers::View;
using papers::method::MethodOptions;
using papers::method::MethodSettings;
using papers::method::run;

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool paper = false;  ///< the paper's own numbers
};

struct Plot {
  std::string file;  ///< name without extension
  std::string title, x, y;
  bool log_x = false, log_y = false;
  std::vector<Series> series;
};

/// A picture beside the page.
struct Figure {
  std::string file;  ///< name without extension
  std::string caption;
  std::string png;  ///< the bytes of the file
};

/// A statement of a paper, and whether it holds here.
struct Claim {
  std::string text;
  bool holds = false;
  std::string measured;
  bool more = false;  ///< holds, by far more than the paper's figure: `measured` has the reason

  std::string_view verdict() const { return !holds ? "no" : more ? "more than the paper's" : "yes"; }
};

/// The result of one experiment.
struct Section {
  std::string name, title, citation;
  std::vector<std::string> setup;  ///< what was run, one paragraph each
  std::vector<Table> tables;
  std::vector<Plot> plots;
  std::vector<Figure> figures;
  std::vector<Claim> claims;
  std::vector<std::string> differences;  ///< where ours differ, and why
};

struct Settings {
  bool quick = false;             ///< small sizes and few frames: seconds instead of minutes; the numbers mean little
  unsigned threads = 0;           ///< 0: one for each core
  Device device = Device::cpu();  ///< of the experiments that run on CUDA, too
  papers::Renderer renderer = papers::Renderer::cpu();  ///< of the papers' methods
  std::optional<Mesh> bunny, dragon;                    ///< scanned models in place of ours
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  std::function<bool()> cancel = {};
};

struct Experiment {
  std::string_view name, what;
  Section (*run)(const Settings&);
  bool on_cuda = false;
};
std::span<const Experiment> experiments();

// One file each.
Section boldt_meyer(const Settings& settings);
Section quick_cullide(const Settings& settings);
Section peeling(const Settings& settings);
Section cinder(const Settings& settings);
Section vanecek(const Settings& settings);
Section exact_engine(const Settings& settings);

// Writers. Plots and figures go into the folder papers/ beside the page.
std::string to_text(const Section& section);
std::string to_markdown(std::span<const Section> sections, std::string_view machine);
std::string to_json(std::span<const Section> sections, std::string_view machine);
std::string to_svg(const Plot& plot);

/// CPU model and number of threads.
std::string machine(const Settings& settings);

}  // namespace sightline::experiments
