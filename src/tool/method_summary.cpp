// The report of a paper's method: its name, whether it can miss contacts, and its passes.
#include <algorithm>

#include "tool/console.h"
#include "tool/summary.h"

namespace sightline::tool {
namespace {

std::string line(std::string_view label, std::string_view text) { return fmt::format("  {:<8}  {}\n", label, text); }

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

}  // namespace

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

}  // namespace sightline::tool
