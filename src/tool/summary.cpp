#include "tool/summary.h"

#include <algorithm>
#include <numeric>

#include "tool/console.h"

namespace sightline::tool {
namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

// "  label     text": the left column of all lines below a title.
std::string line(std::string_view label, std::string_view text) { return fmt::format("  {:<8}  {}\n", label, text); }

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

}  // namespace

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

namespace {
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
}  // namespace

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

}  // namespace sightline::tool
