#include "tool/findings.h"

#include <algorithm>
#include <map>

#include "report/clusters.h"
#include "tool/console.h"
#include "tool/outputs.h"

namespace sightline::tool {
namespace {

constexpr std::size_t kMostPlaces = 10;

// With a baseline only what is new counts.
std::vector<Contact> counted_contacts(const Report& report, const report::Triage& triage) {
  std::vector<Contact> list;
  for (std::size_t i = 0; i < report.contacts.size(); ++i)
    if (triage.old == nullptr || triage.comparison.is_new[i]) list.push_back(report.contacts[i]);
  return list;
}

std::string middle(const report::Cluster& cluster) {
  const Vec3d at = cluster.box.centre();
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", at[0], at[1], at[2]);
}

constexpr const char* kCanMiss = "no contact was found, but the method can miss contacts";

/// "12 contacts in 2 places: 10 crossing, 2 touching", and a line for each place.
void describe(report::Finding& finding, const report::Contacts& contacts, const report::WriteOptions& options,
              bool only_new) {
  const report::Clusters clusters = report::clusters(contacts, report::outlines(contacts, options));
  finding.message = fmt::format("{} in {}: {}", counted(contacts.list.size(), only_new ? "new contact" : "contact"),
                                counted(clusters.list.size(), "place"), by_kind(report::count_kinds(contacts.list)));
  for (std::size_t i = 0; i < std::min(kMostPlaces, clusters.list.size()); ++i) {
    const report::Cluster& cluster = clusters.list[i];
    const Contact& first = contacts.list[clusters.of(cluster)[0]];
    finding.details.push_back(fmt::format("{} around {}: {}; the first is triangle {} with triangle {}",
                                          counted(cluster.count, "contact"), middle(cluster), by_kind(cluster.kinds),
                                          first.a, first.b));
  }
  if (clusters.list.size() > kMostPlaces)
    finding.details.push_back(fmt::format("and {}", counted(clusters.list.size() - kMostPlaces, "more place")));
}

}  // namespace

void Findings::add_mesh(const report::Part& part, const std::string& name, const Report& report,
                        const report::Triage& triage) {
  if (!wanted()) return;
  report::Finding finding{.file = part.file, .name = name, .milliseconds = report.stats.milliseconds};
  const std::vector<Contact> contacts = counted_contacts(report, triage);
  if (!contacts.empty()) {
    finding.result = report::Finding::Result::failed;
    describe(finding, {{&part, 1}, contacts}, write_options(settings_), triage.old != nullptr);
    if (triage.old == nullptr && contacts.size() < report.found)  // --max-contacts
      finding.message = fmt::format("{}; of the first {}: {}", counted(report.found, "contact"),
                                    grouped(contacts.size()), finding.message);
    else if (!report.complete)  // --first, or a method that can miss some
      finding.message = "at least " + finding.message;
  } else if (report.method.can_miss) {
    finding.result = report::Finding::Result::unsure;
    finding.message = kCanMiss;
  } else if (report.found > 0 && triage.old == nullptr) {  // --max-contacts 0
    finding.result = report::Finding::Result::failed;
    finding.message = counted(report.found, "contact");
  }
  list_.push_back(std::move(finding));
}

void Findings::add_error(const std::string& file, const std::string& name, const std::string& message) {
  if (wanted())
    list_.push_back({.result = report::Finding::Result::error, .file = file, .name = name, .message = message});
}

void Findings::add_assembly(const ClashResult& result, const Report& report, const report::Triage& triage) {
  if (!wanted()) return;
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Pair, std::vector<Contact>> by_pair;
  for (const Contact& contact : counted_contacts(report, triage))
    by_pair[{contact.object_a, contact.object_b}].push_back(contact);
  std::map<Pair, const PartPair*> relations;
  for (std::size_t i = 0; i < result.pairs.size(); ++i) {
    if (triage.old != nullptr && !triage.comparison.pair_is_new[i] &&
        !by_pair.contains({result.pairs[i].a, result.pairs[i].b}))
      continue;
    relations[{result.pairs[i].a, result.pairs[i].b}] = &result.pairs[i];
    by_pair[{result.pairs[i].a, result.pairs[i].b}];
  }
  for (const auto& [pair, contacts] : by_pair) {
    const auto& [a, b] = pair;
    report::Finding finding{
        .result = report::Finding::Result::failed,
        .file = result.parts[a].file,
        .name = a == b ? result.names[a] + " with itself" : result.names[a] + " and " + result.names[b]};
    if (!contacts.empty()) describe(finding, {result.parts, contacts}, write_options(settings_), triage.old != nullptr);
    if (const auto relation = relations.find(pair); relation != relations.end()) {
      const PartPair& clash = *relation->second;
      std::string word(to_string(clash.relation));
      if (clash.relation == Relation::contains)
        word = fmt::format("contains: {} is inside", result.labels[clash.inner]);
      if (!result.fails(clash)) finding.result = report::Finding::Result::passed;
      if (clash.tolerated) word = "touch: a clash within the tolerance";
      if (clash.depth) word += fmt::format(", depth {}", report::digits(clash.depth->depth));
      if (clash.volume) word += fmt::format(", volume {}", report::digits(*clash.volume));
      if (clash.relation == Relation::near) word = fmt::format("near: {} apart", clash.gap);
      finding.message = finding.message.empty() ? word : word + ": " + finding.message;
    }
    list_.push_back(std::move(finding));
  }
  if (list_.empty() && (report.method.can_miss || !result.pairs_known))
    list_.push_back({.result = report::Finding::Result::unsure,
                     .file = result.parts.empty() ? "" : result.parts.front().file,
                     .name = "all pairs",
                     .message = report.method.can_miss ? kCanMiss : "the pairs were not classified"});
  if (list_.empty())
    list_.push_back({.file = result.parts.empty() ? "" : result.parts.front().file,
                     .name = triage.old != nullptr ? "nothing new" : "all pairs clear"});
  list_.front().milliseconds = report.stats.milliseconds;
}

void Findings::print() const {
  if (!wanted()) return;
  report::Buffer text;
  if (settings_.format == Format::github) report::append_github(text, list_);
  if (settings_.format == Format::junit)
    report::append_junit(text, settings_.command == Command::clash ? "sightline clash" : "sightline check", list_);
  print_out({text.data(), text.size()});
}

}  // namespace sightline::tool
