#include "tool/summary.h"

#include <algorithm>
#include <numeric>

#include "tool/console.h"

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
      return fmt::format(" in a polygon of {} corners, one at {}", geometry.size, point(p[0]));
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
  Table table({{"pass"},
               {"view"},
               {"elements", true},
               {"left", true},
               {"triangles", true},
               {"left", true},
               {"renders", true},
               {"queries", true},
               {"fragments", true},
               {"ms", true}});
  for (std::size_t i = 0; i < std::min(kMostRows, how.passes.size()); ++i) {
    const Pass& pass = how.passes[i];
    table.add({std::string(pass.level), direction(pass.direction), grouped(pass.elements_before),
               grouped(pass.elements_after), grouped(pass.pcs_before), grouped(pass.pcs_after), grouped(pass.renders),
               grouped(pass.queries), grouped(pass.fragments), fmt::format("{:.2f}", pass.milliseconds)});
  }
  const std::string more = how.passes.size() > kMostRows
                               ? fmt::format("  … and {} more (use --json)\n", grouped(how.passes.size() - kMostRows))
                               : "";
  return how.passes.empty() ? "" : table.text() + more;
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
  return text;
}

constexpr std::size_t kMostLabel = 40;  // columns

}  // namespace

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
  if (!facts.degenerate.empty()) found.push_back(counted(facts.degenerate.size(), "degenerate triangle"));
  if (facts.duplicates > 0) found.push_back(counted(facts.duplicates, "duplicate triangle"));
  if (facts.nonmanifold_edges > 0) found.push_back(counted(facts.nonmanifold_edges, "non-manifold edge"));
  return found.empty() ? "none" : joined(found);
}

std::string by_kind(const report::KindCounts& counts) {
  for (const Kind kind : report::kKindsBySeverity)
    if (const std::uint64_t count = counts.of[static_cast<int>(kind)]; count > 0 && count == counts.total())
      return fmt::format("{}{}", count > 1 ? "all " : "", to_string(kind));
  std::vector<std::string> found;
  for (const Kind kind : report::kKindsBySeverity)
    if (const std::uint64_t count = counts.of[static_cast<int>(kind)]; count > 0)
      found.push_back(fmt::format("{} {}", grouped(count), to_string(kind)));
  return joined(found);
}

std::string sentence(const Contact& contact, const Intersection& geometry, std::string_view a, std::string_view b) {
  constexpr std::string_view kVerbs[kKindCount] = {"touches", "crosses", "overlaps in one plane with",
                                                   "has the same corners as"};
  return fmt::format("{} {} {}{}", a, kVerbs[static_cast<int>(contact.kind)], b, place(geometry));
}

std::string contact_lines(const Settings& settings, const Report& report, const report::KindCounts& counts,
                          const std::string& first) {
  if (report.found == 0 && report.method.can_miss) return line("contacts", "none found (the method can miss some)");
  if (report.found == 0) return line("contacts", ink(Ink::green, "none"));
  if (settings.first)
    return line("contacts", ink(Ink::red, "at least 1") + ", stopped at the first (--first)") + line("first", first);
  const std::uint64_t kept = report.contacts.size();
  const std::string total = ink(Ink::red, grouped(report.found));
  const bool all_counted = counts.total() == report.found;
  std::string text;
  if (all_counted)
    text = line("contacts", fmt::format("{}: {}", total, by_kind(counts)));
  else if (kept == 0)
    text = line("contacts", total);
  else
    text = line("contacts", fmt::format("{}; of the first {}: {}", total, grouped(kept), by_kind(counts)));
  if (kept < report.found)
    text += line("", fmt::format("{} kept, {} left out (--max-contacts {})", grouped(kept),
                                 grouped(report.found - kept), settings.max_contacts));
  return text;
}

std::string time_line(const Stats& stats) {
  const bool seconds = stats.milliseconds >= 1000;
  std::string stages;
  for (const Stage& stage : stats.stages)
    stages += fmt::format("{}{} {:.{}f}", stages.empty() ? "" : ", ", stage.name,
                          seconds ? stage.milliseconds / 1000 : stage.milliseconds, seconds ? 2 : 1);
  return line("time", fmt::format("{}: {}", duration(stats.milliseconds), stages)) + line("ran on", ran_on(stats));
}

std::string check_summary(const Settings& settings, const report::Part& part, const Report& report,
                          const std::string& notes) {
  const report::Facts& facts = part.facts;
  std::string text = fmt::format("{}: {}, {}, {}, {}\n", ink(Ink::bold, report::printable(part.file)),
                                 counted(facts.triangles, "triangle"), counted(facts.vertices, "vertex", "vertices"),
                                 surface(facts), counted(facts.components, "component"));
  std::string first;
  if (settings.first && !report.contacts.empty()) {
    const Contact& contact = report.contacts.front();
    first = sentence(contact, intersection(part.mesh, contact), fmt::format("triangle {}", contact.a),
                     fmt::format("triangle {}", contact.b));
  }
  text += contact_lines(settings, report, report::count_kinds(report.contacts), first) + notes;
  text += line("flaws", flaws(facts));
  return text + method_lines(report.method) + time_line(report.stats);
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
  if (how.culled > 0) text += line("", fmt::format("{} culled, as they move away", counted(how.culled, "triangle")));
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
  if (unsure_ > 0) text += fmt::format(", {} with none found by a method that can miss some", grouped(unsure_));
  if (failed_ > 0) text += fmt::format(", {} not checked", grouped(failed_));
  if (all > 0)
    text += fmt::format("; {}{} in all, most in {} ({})", cut_ ? "at least " : "", counted(all, "contact"), worst_,
                        grouped(most_));
  if (compared_) text += fmt::format("; {} new", grouped(added_));
  return text + fmt::format("; {}\n", duration(milliseconds_));
}

}  // namespace sightline::tool
