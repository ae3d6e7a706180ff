#include "tool/caption.h"

#include <algorithm>
#include <set>

#include "tool/units.h"

namespace sightline::tool {
namespace {

constexpr std::size_t kMostNames = 12, kMostGaps = 6;

std::string contacts_text(const Report& report) {
  if (report.found == 0) return report.method.can_miss ? "no contacts found" : "no contacts";
  const bool ended = !report.complete && report.contacts.size() == report.found;  // not a list that was cut
  return (ended ? "at least " : "") + counted(report.found, "contact");
}

std::string file_name(const std::string& path) {
  return report::printable(std::filesystem::path(path).filename().string());
}

/// The pairs in the order of the summary's table: by relation, the nearest ones first.
std::vector<PartPair> ordered(std::vector<PartPair> pairs) {
  std::ranges::stable_sort(pairs, [](const PartPair& a, const PartPair& b) {
    return a.relation != b.relation ? a.relation > b.relation : a.gap < b.gap;
  });
  return pairs;
}

std::string relations_text(std::span<const PartPair> pairs) {
  std::string text;
  for (const Relation relation : {Relation::clash, Relation::contains, Relation::touch, Relation::near}) {
    const auto count = std::ranges::count_if(pairs, [&](const PartPair& pair) { return pair.relation == relation; });
    if (count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(static_cast<std::uint64_t>(count)),
                          to_string(relation));
  }
  return text.empty() ? "all pairs clear" : text;
}

}  // namespace

picture::Notes caption(const report::Part& part, const std::string& label, const Report& report) {
  picture::Notes notes{.title = report::printable(label.empty() ? file_name(part.file) : label)};
  notes.facts = fmt::format("{} \u00B7 {}", contacts_text(report), counted(part.mesh.triangles.size(), "triangle"));
  notes.clean = !report.method.can_miss;
  return notes;
}

picture::Notes caption(const ClashResult& result, const Report& report) {
  std::set<std::string> files;
  std::uint64_t triangles = 0;
  for (const report::Part& part : result.parts) {
    files.insert(part.file);
    triangles += part.mesh.triangles.size();
  }
  picture::Notes notes{.title = files.size() == 1 ? file_name(*files.begin()) : counted(files.size(), "file")};
  notes.facts =
      fmt::format("{}{} \u00B7 {}, {}", result.pairs_known ? relations_text(result.pairs) + " \u00B7 " : "",
                  contacts_text(report), counted(result.parts.size(), "part"), counted(triangles, "triangle"));
  notes.clean = !report.method.can_miss;

  std::set<std::uint32_t> inner;
  std::vector<std::uint32_t> named;
  const auto add = [&](std::uint32_t part) {
    if (named.size() < kMostNames && std::ranges::find(named, part) == named.end()) named.push_back(part);
  };
  const std::string_view unit = unit_suffix(result.unit);
  for (const PartPair& pair : ordered(result.pairs)) {
    if (pair.relation == Relation::contains) inner.insert(pair.inner);
    if (pair.relation == Relation::near && pair.nearest && notes.gaps.size() < kMostGaps)
      notes.gaps.push_back({*pair.nearest, fmt::format("{:.3g} {}", pair.gap, unit.empty() ? "file units" : unit)});
    add(pair.a);
    add(pair.b);
  }
  for (std::uint32_t i = 0; i < result.parts.size() && result.parts.size() <= kMostNames; ++i) add(i);
  notes.inner.assign(inner.begin(), inner.end());
  for (const std::uint32_t part : named) notes.names.emplace_back(part, result.labels[part]);
  return notes;
}

}  // namespace sightline::tool
