// The table of `clash --group`: pairs of parts whose names differ in numbers only, joined.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "report/labels.h"
#include "tool/console.h"
#include "tool/summary.h"

namespace sightline::tool {
namespace {

std::uint64_t contacts_of(const PartPair& pair) {
  return std::accumulate(std::begin(pair.contacts), std::end(pair.contacts), std::uint64_t{0});
}

}  // namespace

std::string grouped_pairs_table(const ClashResult& result) {
  struct Row {
    std::uint64_t pairs = 0, contacts = 0;
    std::set<std::uint32_t> a, b;
  };
  using Key = std::tuple<int, std::string, std::string>;  // the relation's number negated, the groups
  std::map<Key, Row> groups;
  const auto add = [&](int relation, std::uint32_t a, std::uint32_t b, std::uint64_t contacts) {
    std::string of_a = report::group_of(result.names[a]), of_b = report::group_of(result.names[b]);
    if (of_b < of_a) {
      std::swap(of_a, of_b);
      std::swap(a, b);
    }
    Row& row = groups[{-relation, of_a, of_b}];
    ++row.pairs;
    row.contacts += contacts;
    row.a.insert(a);
    (of_a == of_b ? row.a : row.b).insert(b);
  };
  constexpr int kSelf = 5;  // above all relations
  for (std::size_t i = 0; i < result.self.size(); ++i)
    if (const std::uint64_t contacts = result.self[i].total(); contacts > 0)
      add(kSelf, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i), contacts);
  for (const PartPair& pair : result.pairs) add(static_cast<int>(pair.relation), pair.a, pair.b, contacts_of(pair));
  std::vector<std::pair<Key, Row>> rows(groups.begin(), groups.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) {
    return std::pair(std::get<0>(x.first), y.second.pairs) < std::pair(std::get<0>(y.first), x.second.pairs);
  });
  const auto name = [](const std::string& group, std::size_t parts) {
    return parts > 1 ? fmt::format("{} ({})", shown(group, 32), grouped(parts)) : shown(group, 32);
  };
  Table table("<<<>>", {"relation", "parts", "parts", "pairs", "contacts"});
  for (std::size_t i = 0; i < std::min(kMostRows, rows.size()); ++i) {
    const auto& [key, row] = rows[i];
    const int relation = -std::get<0>(key);
    const std::string b = relation == kSelf ? "itself"
                          : row.b.empty()   ? name(std::get<2>(key), row.a.size())
                                            : name(std::get<2>(key), row.b.size());
    table.add(
        {relation == kSelf ? "self" : std::string(to_string(static_cast<Relation>(relation))),
         name(std::get<1>(key), row.a.size()), b, grouped(row.pairs), row.contacts == 0 ? "-" : grouped(row.contacts)},
        relation == kSelf ? Ink::red : relation_ink(static_cast<Relation>(relation)));
  }
  return rows.empty() ? "" : table.text() + and_more(rows.size(), "--csv");
}

}  // namespace sightline::tool
