// The tables of `clash`: its parts, and its pairs of parts.
#include <algorithm>
#include <cmath>
#include <set>

#include "tool/console.h"
#include "tool/summary.h"

namespace sightline::tool {
namespace {

std::string and_more(std::size_t rows) {
  return rows > kMostRows ? fmt::format("  … and {} more (use --csv)\n", grouped(rows - kMostRows)) : "";
}

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

std::string parts_table(const ClashResult& result) {
  Table table({{"part"}, {"triangles", true}, {"vertices", true}, {"surface"}, {"flaws"}});
  for (std::size_t i = 0; i < std::min(kMostRows, result.parts.size()); ++i) {
    const report::Facts& facts = result.parts[i].facts;
    table.add({result.labels[i], grouped(facts.triangles), grouped(facts.vertices), surface(facts), flaws(facts)});
  }
  return table.text() + and_more(result.parts.size());
}

// By Relation.
constexpr Ink kRelationInks[] = {Ink::plain, Ink::blue, Ink::yellow, Ink::yellow, Ink::red};

std::string detail(const ClashResult& result, const PartPair& pair) {
  std::string text = by_kind({{pair.contacts[0], pair.contacts[1], pair.contacts[2], pair.contacts[3]}});
  if (pair.relation == Relation::contains) {
    const std::uint32_t outer = pair.inner == pair.a ? pair.b : pair.a;
    text = fmt::format("{} lies inside {}", result.labels[pair.inner], result.labels[outer]);
  }
  const bool crossing = pair.contacts[static_cast<int>(Kind::crossing)] > 0;
  if (pair.relation == Relation::clash && !crossing) text += text.empty() ? "volumes overlap" : ", volumes overlap";
  const bool has_gap = pair.relation == Relation::near || pair.relation == Relation::contains;
  if (has_gap && std::isfinite(pair.gap)) text += fmt::format("{}gap {:.6g}", text.empty() ? "" : ", ", pair.gap);
  return text;
}

std::string pairs_table(const ClashResult& result) {
  // The serious ones first: a long table is cut.
  std::vector<PartPair> pairs = result.pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const PartPair& a, const PartPair& b) { return a.relation > b.relation; });
  Table table({{"relation"}, {"part"}, {"part"}, {"contacts", true}, {""}});
  std::size_t rows = 0;
  for (std::size_t i = 0; i < result.self.size(); ++i) {
    const std::uint64_t contacts = result.self[i].total();
    if (contacts == 0 || ++rows > kMostRows) continue;
    table.add({"self", result.labels[i], "itself", grouped(contacts), by_kind(result.self[i])}, Ink::red);
  }
  for (const PartPair& pair : pairs) {
    if (++rows > kMostRows) continue;
    std::uint64_t contacts = 0;
    for (const std::uint64_t count : pair.contacts) contacts += count;
    table.add({std::string(to_string(pair.relation)), result.labels[pair.a], result.labels[pair.b],
               contacts == 0 ? "-" : grouped(contacts), detail(result, pair)},
              kRelationInks[static_cast<int>(pair.relation)]);
  }
  return rows == 0 ? "" : fmt::format("\n{}{}", table.text(), and_more(rows));
}

std::string relations_line(const Settings& settings, const ClashResult& result, const Report& report) {
  if (!result.pairs_known && report.method.can_miss)
    return line("pairs", "not classified, as the method can miss contacts");
  if (!result.pairs_known) return line("pairs", "not classified, as the query stopped at the first contact");
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

// What the engine decided by its estimates.
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

}  // namespace

std::string clash_summary(const Settings& settings, const ClashResult& result, const Report& report) {
  return title(result) + parts_table(result) + pairs_table(result) + "\n" + relations_line(settings, result, report) +
         contact_lines(settings, report, result.counts, result.first) + result.notes + method_lines(report.method) +
         time_line(report.stats) + choices_line(report.stats);
}

}  // namespace sightline::tool
