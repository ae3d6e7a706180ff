#include "tool/summary.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <set>

#include "tool/console.h"
#include "tool/units.h"

namespace sightline::tool {
namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string point(const Vec3d& p) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", p[0], p[1], p[2]); }

std::string place(const Intersection& geometry) {
  const Vec3d* p = geometry.storage.data();
  switch (geometry.size) {
    case 0:
      return "";
    case 1:
      return fmt::format(" at {}", point(p[0]));
    case 2:
      return fmt::format(" from {} to {}", point(p[0]), point(p[1]));
    default:
      return fmt::format(" over an area of {} corners, one of them at {}", geometry.size, point(p[0]));
  }
}

std::string ran_on(const Stats& stats) {
  if (stats.device == "cuda") {
    std::string text = "cuda";
    for (const Stage& stage : stats.stages)
      if (stage.name == "tiles") text += ", " + counted(stage.count, "tile");
    const double mebibytes = static_cast<double>(stats.peak_bytes) / (1 << 20);
    return text + fmt::format(", {:.{}f} MiB of its memory", mebibytes, mebibytes < 100 ? 1 : 0);
  }
  if (stats.device != "cpu") return std::string(stats.device);
  return counted(stats.threads, "thread") + (stats.simd.empty() ? "" : fmt::format(", {}", stats.simd));
}

std::string direction(const Vec3d& d) {
  for (int axis = 0; axis < 3; ++axis)
    if (d[axis] != 0 && d[(axis + 1) % 3] == 0 && d[(axis + 2) % 3] == 0)
      return std::string(1, static_cast<char>('x' + axis));
  if (d == Vec3d{0, 0, 0}) return "-";
  return fmt::format("{:.2f},{:.2f},{:.2f}", d[0], d[1], d[2]);
}

std::string passes_table(const MethodReport& how) {
  Table table("<<>>>>>>>>",
              {"pass", "view", "elements", "left", "triangles", "left", "renders", "queries", "fragments", "ms"});
  for (std::size_t i = 0; i < std::min(kMostRows, how.passes.size()); ++i) {
    const Pass& pass = how.passes[i];
    table.add({std::string(pass.level), direction(pass.direction), grouped(pass.elements_before),
               grouped(pass.elements_after), grouped(pass.pcs_before), grouped(pass.pcs_after), grouped(pass.renders),
               grouped(pass.queries), grouped(pass.fragments), fmt::format("{:.2f}", pass.milliseconds)});
  }
  return how.passes.empty() ? "" : table.text() + and_more(how.passes.size(), "--json");
}

std::string penetrations(const MethodReport& how) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Penetration& p : how.penetrations)
    if (pairs.empty() || pairs.back() != std::pair(p.object_a, p.object_b)) pairs.emplace_back(p.object_a, p.object_b);
  std::string text = fmt::format("{} with an edge inside another part, {} of parts",
                                 counted(how.penetrations.size(), "triangle"), counted(pairs.size(), "pair"));
  if (how.self_interferences > 0)
    text += fmt::format("; {} kept out", counted(how.self_interferences, "self-interference"));
  if (how.lost > 0) text += fmt::format("; {} lost by mip-mapping", grouped(how.lost));
  if (how.unbalanced > 0)
    text +=
        fmt::format("; {}, where a part is open", ink(Ink::yellow, counted(how.unbalanced, "place") + " undecided"));
  return text;
}

constexpr std::size_t kMostLabel = 40;  // columns

}  // namespace

std::string and_more(std::size_t rows, std::string_view option) {
  return rows > kMostRows ? fmt::format("  … and {} more (use {})\n", grouped(rows - kMostRows), option) : "";
}

Ink relation_ink(Relation relation) {
  constexpr Ink kInks[] = {Ink::plain, Ink::blue, Ink::yellow, Ink::yellow, Ink::red};
  return kInks[static_cast<int>(relation)];
}

std::string line(std::string_view label, std::string_view text) { return fmt::format("  {:<8}  {}\n", label, text); }

std::string duration(double milliseconds) {
  if (milliseconds < 1) return fmt::format("{:.2f} ms", milliseconds);
  if (milliseconds < 100) return fmt::format("{:.1f} ms", milliseconds);
  if (milliseconds < 1000) return fmt::format("{:.0f} ms", milliseconds);
  return fmt::format("{:.2f} s", milliseconds / 1000);
}

std::string surface(const report::Facts& facts) {
  if (facts.closed) return "closed";
  return facts.open_edges == 0 ? "open" : fmt::format("open ({})", counted(facts.open_edges, "open edge"));
}

std::string flaws(const report::Facts& facts) {
  std::vector<std::string> found;
  if (facts.degenerate_count > 0) found.push_back(counted(facts.degenerate_count, "degenerate triangle"));
  if (facts.duplicates > 0) found.push_back(counted(facts.duplicates, "duplicate triangle"));
  if (facts.nonmanifold_edges > 0) found.push_back(counted(facts.nonmanifold_edges, "non-manifold edge"));
  return found.empty() ? "none" : joined(found);
}

std::string by_kind(const report::KindCounts& counts) {
  std::vector<std::string> found;
  for (const Kind kind : report::kKindsBySeverity) {
    const std::uint64_t count = counts.of[static_cast<int>(kind)];
    if (count > 0 && count == counts.total()) return fmt::format("{}{}", count > 1 ? "all " : "", to_string(kind));
    if (count > 0) found.push_back(fmt::format("{} {}", grouped(count), to_string(kind)));
  }
  return joined(found);
}

std::string sentence(const Contact& contact, const Intersection& geometry, std::string_view a, std::string_view b) {
  constexpr std::string_view kVerbs[kKindCount] = {"touches", "crosses", "overlaps in one plane with",
                                                   "has the same corners as"};
  return fmt::format("{} {} {}{}", a, kVerbs[static_cast<int>(contact.kind)], b, place(geometry));
}

std::string contact_lines(const Settings& settings, const Report& report, std::uint64_t kept,
                          const report::KindCounts& counts, const std::string& first) {
  if (report.found == 0 && report.method.can_miss) return line("contacts", "none found (the method can miss some)");
  if (settings.first && report.found > 0)
    return line("contacts", ink(Ink::red, "at least 1") + ", stopped at the first (--first)") + line("first", first);
  return contact_lines(settings, report.found, kept, counts);
}

std::string contact_lines(const Settings& settings, std::uint64_t found, std::uint64_t kept,
                          const report::KindCounts& counts) {
  if (found == 0) return line("contacts", ink(Ink::green, "none"));
  const std::string total = ink(Ink::red, grouped(found));
  const bool all_counted = counts.total() == found;
  std::string text;
  if (all_counted)
    text = line("contacts", fmt::format("{}: {}", total, by_kind(counts)));
  else if (kept == 0)
    text = line("contacts", total);
  else
    text = line("contacts", fmt::format("{}; of the first {}: {}", total, grouped(kept), by_kind(counts)));
  if (kept < found)
    text += line("", fmt::format("{} kept, {} left out (--max-contacts {})", grouped(kept), grouped(found - kept),
                                 settings.max_contacts));
  return text;
}

std::string disk_line(const HugeReport& report) {
  return line("disk",
              fmt::format("{} with {} in all, {:.1f} MiB of scratch", counted(report.leaves, "leaf", "leaves"),
                          counted(report.records, "triangle"), static_cast<double>(report.scratch_bytes) / (1 << 20)));
}

namespace {

/// A bound for the sum of lengths, as the rounding of each addition is taken away or added.
Interval sum_of_lengths(const std::vector<std::pair<const report::CurvesOf*, const Curve*>>& curves) {
  constexpr double kMost = std::numeric_limits<double>::infinity();
  Interval sum;
  for (const auto& [of, curve] : curves) {
    if (sum == Interval{}) {
      sum = curve->length;
      continue;
    }
    sum.low = std::max(0.0, std::nextafter(sum.low + curve->length.low, -kMost));
    sum.high = std::nextafter(sum.high + curve->length.high, kMost);
  }
  return sum;
}

}  // namespace

std::string curve_lines(std::span<const report::CurvesOf> curves, std::span<const std::string> labels,
                        std::string_view unit) {
  constexpr std::size_t kMostCurves = 3;
  std::vector<std::pair<const report::CurvesOf*, const Curve*>> all;
  std::uint64_t closed = 0, areas = 0, points = 0;
  for (const report::CurvesOf& of : curves) {
    for (const Curve& curve : of.found.curves) {
      all.emplace_back(&of, &curve);
      closed += curve.closed;
    }
    areas += of.found.areas.size();
    points += of.found.points.size();
  }
  const auto length = [&](const Interval& x) {
    return fmt::format("length {}{}{}", report::digits(x), unit.empty() ? "" : " ", unit);
  };
  std::string text = "none";
  if (!all.empty())
    text = fmt::format("{}: {} closed, {} open, {} in all", grouped(all.size()), grouped(closed),
                       grouped(all.size() - closed), length(sum_of_lengths(all)));
  if (areas > 0) text += fmt::format("; {}", counted(areas, "area"));
  if (points > 0) text += fmt::format("; {}", counted(points, "single point"));
  std::string lines = line("curves", text);

  std::stable_sort(all.begin(), all.end(),
                   [](const auto& x, const auto& y) { return x.second->length.middle() > y.second->length.middle(); });
  for (std::size_t i = 0; i < std::min(kMostCurves, all.size()); ++i) {
    const auto& [of, curve] = all[i];
    std::string words = fmt::format("{}, {}, {} from {}", length(curve->length), curve->closed ? "closed" : "open",
                                    counted(curve->points.size(), "point"), point(curve->points.front().position));
    if (!labels.empty()) words += fmt::format(", {} with {}", labels[of->a], of->a == of->b ? "itself" : labels[of->b]);
    lines += line("", words);
  }
  if (all.size() > kMostCurves)
    lines += line("", fmt::format("… and {} that are no longer", grouped(all.size() - kMostCurves)));
  return lines;
}

std::string no_curves_line() { return line("curves", "not joined, because the list of contacts is not complete"); }

std::string time_line(const Stats& stats, bool verbose) {
  if (!verbose) return line("time", duration(stats.milliseconds));
  const bool seconds = stats.milliseconds >= 1000;
  std::string stages;
  for (const Stage& stage : stats.stages)
    stages += fmt::format("{}{} {:.{}f}", stages.empty() ? "" : ", ", stage.name,
                          seconds ? stage.milliseconds / 1000 : stage.milliseconds, seconds ? 2 : 1);
  return line("time", fmt::format("{}: {}", duration(stats.milliseconds), stages)) + line("ran on", ran_on(stats));
}

std::string check_title(const report::Part& part) {
  const report::Facts& facts = part.facts;
  return fmt::format("{}: {}, {}, {}, {}\n", ink(Ink::bold, report::printable(part.file)),
                     counted(facts.triangles, "triangle"), counted(facts.vertices, "vertex", "vertices"),
                     surface(facts), counted(facts.components, "component"));
}

/// The line of the overlap of a mesh with itself.
std::string self_overlap(const report::Part::SelfOverlap& found) {
  const auto& [edges, extent] = found;
  if (!edges.has_area) return "no volume: no triangle has area";
  if (edges.open_edges > 0) return fmt::format("no volume: {}", counted(edges.open_edges, "open edge"));
  if (edges.turned_edges > 0)
    return fmt::format("no volume: wound inconsistently at {}", counted(edges.turned_edges, "edge"));
  if (extent->volume == Interval{}) return "none";
  return fmt::format("volume {}, area {} with itself", report::digits(extent->volume), report::digits(extent->area));
}

std::string check_summary(const Settings& settings, const report::Part& part, const Report& report,
                          const std::string& notes) {
  std::string first;
  if (settings.first && !report.contacts.empty()) {
    const Contact& contact = report.contacts.front();
    first = sentence(contact, intersection(part.mesh, contact), fmt::format("triangle {}", contact.a),
                     fmt::format("triangle {}", contact.b));
  }
  std::string text =
      contact_lines(settings, report, report.contacts.size(), report::count_kinds(report.contacts), first) + notes;
  text += line("flaws", flaws(part.facts));
  if (part.self_overlap) text += line("overlap", self_overlap(*part.self_overlap));
  return text + method_lines(report.method) + time_line(report.stats, settings.verbose);
}

std::string check_total(std::size_t meshes, std::size_t with_contacts, std::size_t failed) {
  std::string text = fmt::format("\n{}: {} clean, {} with contacts", counted(meshes, "mesh", "meshes"),
                                 grouped(meshes - with_contacts - failed), grouped(with_contacts));
  if (failed > 0) text += fmt::format(", {} not checked", grouped(failed));
  return text + "\n";
}

std::string method_lines(const MethodReport& how) {
  if (how.method == MethodName::exact) return "";
  std::string answer = fmt::format("{}, {} precision", to_string(how.method), to_string(how.precision));
  if (how.resolution > 0) answer += fmt::format(" at {0} x {0}", how.resolution);
  answer += how.can_miss ? ": " + ink(Ink::yellow, "can miss contacts") : ": misses none";
  std::string text = line("method", answer);
  if (how.culled > 0)
    text += line("", fmt::format("{} culled, because they move away", counted(how.culled, "triangle")));
  text += line("left", fmt::format("{} potentially colliding, {} tested exactly", counted(how.pcs.size(), "triangle"),
                                   counted(how.pairs_tested, "pair")));
  if (how.method == MethodName::cinder || !how.penetrations.empty()) text += line("inside", penetrations(how));
  return text + passes_table(how);
}

SequenceSummary::SequenceSummary(const read::Sequence& sequence) : name_(sequence.name) {
  for (const read::SequenceFrame& frame : sequence.frames) {
    frames_ += frame.count;
    width_ = std::max(width_, static_cast<int>(report::columns(shown(frame.label, kMostLabel))));
  }
}

std::string SequenceSummary::title() const {
  return fmt::format("{}: {}\n", ink(Ink::bold, report::printable(name_)), counted(frames_, "frame"));
}

std::string SequenceSummary::frame(const std::string& label, const Report& report, const report::Triage& triage) {
  found_.push_back(report.found);
  milliseconds_ += report.stats.milliseconds;
  if (report.found > most_) {
    most_ = report.found;
    worst_ = shown(label, kMostLabel);
  }
  std::string text =
      report.found == 0 ? ink(Ink::green, "no contacts") : ink(Ink::red, counted(report.found, "contact"));
  if (report.found == 0 && report.method.can_miss) {
    ++unsure_;
    text = ink(Ink::red, "none found (the method can miss some)");
  } else if (report.found > 0 && !report.complete && report.contacts.size() == report.found) {
    text = "at least " + text;
    cut_ = true;
  } else if (report.contacts.size() < report.found) {
    text += fmt::format(", {} of them left out", grouped(report.found - report.contacts.size()));
  }
  if (report.found > 0 && report.contacts.size() == report.found)
    text += fmt::format(", {}", by_kind(report::count_kinds(report.contacts)));
  if (triage.ignored > 0) text += fmt::format(", {} ignored", grouped(triage.ignored));
  if (triage.old != nullptr) {
    compared_ = true;
    added_ += triage.comparison.added;
    text += fmt::format(" ({} new, {} gone)", grouped(triage.comparison.added), grouped(triage.comparison.gone.size()));
  }
  const std::string name = shown(label, kMostLabel);
  const auto pad = static_cast<std::size_t>(std::max(0, width_ - static_cast<int>(report::columns(name))));
  return fmt::format("  {}{}  {:>8}  {}\n", name, std::string(pad, ' '), duration(report.stats.milliseconds), text);
}

std::string SequenceSummary::failed(const std::string& label, std::uint64_t count) {
  failed_ += count;
  found_.push_back(report::SequenceFacts::kFailed);
  return fmt::format("  {}  {}\n", shown(label, kMostLabel), ink(Ink::red, "not checked"));
}

std::string SequenceSummary::total() const {
  std::uint64_t all = 0, with = 0, checked = 0;
  for (const std::uint64_t count : found_)
    if (count != report::SequenceFacts::kFailed) ++checked, all += count, with += count > 0;
  std::string text = fmt::format("  {}: {} clean, {} with contacts", counted(checked + failed_, "frame"),
                                 grouped(checked - with - unsure_), grouped(with));
  if (unsure_ > 0) text += fmt::format(", {} with none found (the method can miss some)", grouped(unsure_));
  if (failed_ > 0) text += fmt::format(", {} not checked", grouped(failed_));
  if (all > 0)
    text += fmt::format("; {}{} in all, most in {} ({})", cut_ ? "at least " : "", counted(all, "contact"), worst_,
                        grouped(most_));
  if (compared_) text += fmt::format("; {} new", grouped(added_));
  return text + fmt::format("; {}\n", duration(milliseconds_));
}

// The tables of `clash`: its parts, and its pairs of parts.
namespace {

std::string title(const ClashResult& result) {
  std::uint64_t triangles = 0;
  std::set<std::string> files;
  for (const report::Part& part : result.parts) {
    triangles += part.facts.triangles;
    files.insert(part.file);
  }
  const std::string from = files.size() == 1 ? shown(*files.begin()) : counted(files.size(), "file");
  return fmt::format("{}: {}, {}\n", ink(Ink::bold, from), counted(result.parts.size(), "part"),
                     counted(triangles, "triangle"));
}

/// All parts, or those that are open or have flaws.
std::string parts_table(const ClashResult& result, bool all) {
  Table table("<>><<", {"part", "triangles", "vertices", "surface", "flaws"});
  std::size_t rows = 0;
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    const report::Facts& facts = result.parts[i].facts;
    if ((!all && facts.closed && flaws(facts) == "none") || ++rows > kMostRows) continue;
    table.add({result.labels[i], grouped(facts.triangles), grouped(facts.vertices), surface(facts), flaws(facts)});
  }
  return rows == 0 ? "" : table.text() + and_more(rows, "--csv");
}

report::KindCounts counts_of(const PartPair& pair) {
  return {{pair.contacts[0], pair.contacts[1], pair.contacts[2], pair.contacts[3]}};
}

/// Why a pair has no depth or no volume, though they were requested.
void add_refusals(const ClashResult& result, const PartPair& pair, const auto& add) {
  if (pair.relation != Relation::clash && pair.relation != Relation::contains && !pair.tolerated) return;
  if ((!result.wants_depth || pair.depth) && (!result.wants_volume || pair.volume)) return;
  const bool is_depth = result.wants_depth && !pair.depth;
  const auto refuse = [&](const std::string& reason) {
    add(fmt::format("no {}: {}", is_depth ? "depth" : "volume", reason));
  };
  for (const std::uint32_t part : {pair.a, pair.b}) {
    const Boundary edges = boundary(result.parts[part].mesh);
    const std::string& label = result.labels[part];
    if (!edges.has_area) return refuse(fmt::format("{} has no triangle with area", label));
    if (edges.open_edges > 0) return refuse(fmt::format("{} has {}", label, counted(edges.open_edges, "open edge")));
    if (edges.turned_edges > 0 && !is_depth)
      return refuse(fmt::format("{} is wound inconsistently at {}", label, counted(edges.turned_edges, "edge")));
  }
  refuse("the coordinates span too many magnitudes");
}

std::string detail(const ClashResult& result, const PartPair& pair, bool has_contacts) {
  std::string text = by_kind(counts_of(pair));
  if (pair.relation == Relation::contains) {
    const std::uint32_t outer = pair.inner == pair.a ? pair.b : pair.a;
    text = fmt::format("{} lies inside {}", result.labels[pair.inner], result.labels[outer]);
  }
  const bool crossing = pair.contacts[static_cast<int>(Kind::crossing)] > 0;
  if (pair.relation == Relation::clash && !crossing && has_contacts)
    text += text.empty() ? "volumes overlap" : ", volumes overlap";
  const bool has_gap = pair.relation == Relation::near || pair.relation == Relation::contains;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  const std::string_view suffix = unit_suffix(result.unit);
  const std::string unit = suffix.empty() ? "" : fmt::format(" {}", suffix);
  if (has_gap && std::isfinite(pair.gap)) add(fmt::format("gap {:.6g}{}", pair.gap, unit));
  if (pair.tolerated) add("clash within the tolerance");
  if (pair.depth) add(fmt::format("depth {}{}", report::digits(pair.depth->depth), unit));
  if (pair.volume) add(fmt::format("volume {}{}", report::digits(*pair.volume), unit.empty() ? "" : unit + "³"));
  if (pair.separation)
    add(fmt::format("separation {:.6g}{} by {}", pair.separation->length, unit, point(pair.separation->translation)));
  add_refusals(result, pair, add);
  return text;
}

std::string pairs_table(const ClashResult& result, bool has_contacts) {
  // The serious ones first: a long table is cut.
  std::vector<PartPair> pairs = result.pairs;
  std::stable_sort(pairs.begin(), pairs.end(), [](const PartPair& a, const PartPair& b) {
    const auto depth = [](const PartPair& p) { return p.depth ? p.depth->depth.low : 0; };
    const auto volume = [](const PartPair& p) { return p.volume ? p.volume->low : 0; };
    if (a.relation != b.relation) return a.relation > b.relation;
    return depth(a) != depth(b) ? depth(a) > depth(b) : volume(a) > volume(b);
  });
  Table table("<<<><", {"relation", "part", "part", "contacts", ""});
  std::size_t rows = 0;
  for (std::size_t i = 0; i < result.self.size(); ++i) {
    const std::uint64_t contacts = result.self[i].total();
    if (contacts == 0 || ++rows > kMostRows) continue;
    table.add({"self", result.labels[i], "itself", grouped(contacts), by_kind(result.self[i])}, Ink::red);
  }
  for (const PartPair& pair : pairs) {
    if (++rows > kMostRows) continue;
    const std::uint64_t contacts = counts_of(pair).total();
    table.add({std::string(to_string(pair.relation)), result.labels[pair.a], result.labels[pair.b],
               contacts == 0 ? "-" : grouped(contacts), detail(result, pair, has_contacts)},
              relation_ink(pair.relation));
  }
  return rows == 0 ? "" : table.text() + and_more(rows, "--csv, or --group to join pairs by name");
}

std::string relations_line(const Settings& settings, const ClashResult& result, const Report& report) {
  if (!result.pairs_known && report.method.can_miss)
    return line("pairs", "not classified, because the method can miss contacts");
  if (!result.pairs_known) return line("pairs", "not classified, because the query stopped at the first contact");
  const std::uint64_t parts = result.parts.size();
  const std::uint64_t pairs = parts < 2 ? 0 : parts * (parts - 1) / 2;
  std::uint64_t counts[5] = {pairs - result.pairs.size()};  // clear ones are not listed
  for (const PartPair& pair : result.pairs) ++counts[static_cast<int>(pair.relation)];
  std::vector<std::string> words;
  for (const Relation relation :
       {Relation::clash, Relation::contains, Relation::touch, Relation::near, Relation::clear})
    if (const std::uint64_t count = counts[static_cast<int>(relation)];
        count > 0 || relation == Relation::clash || (relation == Relation::near && settings.clearance > 0))
      words.push_back(fmt::format("{} {}", grouped(count), to_string(relation)));
  return line("pairs", fmt::format("{}: {}", grouped(pairs), fmt::join(words, ", ")));
}

}  // namespace

std::string choices_line(const Stats& stats) {
  std::string text;
  for (const Stage& stage : stats.stages)
    if (stage.name == "visibility" || (stage.name == "contain" && stage.count > 0))
      text +=
          fmt::format("{}{}: {} {}", text.empty() ? "" : "; ", stage.name, grouped(stage.count),
                      stage.count == 1 && stage.unit.starts_with("rays ") ? "ray" + std::string(stage.unit.substr(4))
                                                                          : std::string(stage.unit));
  return text.empty() ? "" : line("chose", text);
}

std::string clash_summary(const Settings& settings, const ClashResult& result, const Report& report) {
  const std::string contacts = settings.pairs
                                   ? line("contacts", "not listed (--pairs)")
                                   : contact_lines(settings, report, result.listed, result.counts, result.first);
  const std::string parts = parts_table(result, settings.verbose);
  const std::string pairs = settings.group ? grouped_pairs_table(result) : pairs_table(result, !settings.pairs);
  return title(result) + parts + (pairs.empty() || parts.empty() ? pairs : "\n" + pairs) +
         (parts.empty() && pairs.empty() ? "" : "\n") + relations_line(settings, result, report) + contacts +
         result.notes + method_lines(report.method) + time_line(report.stats, settings.verbose) +
         (settings.verbose ? choices_line(report.stats) : "");
}

}  // namespace sightline::tool
