#include "tool/triage.h"

#include <algorithm>
#include <map>

#include "tool/console.h"
#include "tool/outputs.h"
#include "tool/summary.h"

namespace sightline::tool {
namespace {

// Removes pairs that an entry names, and pairs that had contacts of which none is left. The other pairs keep their
// relation, which was decided by all of their contacts.
std::uint64_t take_out(report::IgnoreList& list, std::vector<Contact>& contacts, std::vector<PartPair>* pairs) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, report::KindCounts> left;
  const std::size_t before = contacts.size();
  std::erase_if(contacts, [&](const Contact& contact) { return list.ignores(contact); });
  if (pairs == nullptr) return before - contacts.size();
  for (const Contact& contact : contacts)
    ++left[{contact.object_a, contact.object_b}].of[static_cast<int>(contact.kind)];
  std::erase_if(*pairs, [&](PartPair& pair) {
    const bool named = list.ignores_pair(pair.a, pair.b);
    std::uint64_t had = 0;
    const report::KindCounts& now = left[{pair.a, pair.b}];
    for (int kind = 0; kind < kKindCount; ++kind) {
      had += pair.contacts[kind];
      pair.contacts[kind] = now.of[kind];
    }
    return named || (had > 0 && now.total() == 0);
  });
  return before - contacts.size();
}

}  // namespace

Triager::Triager(const Settings& settings) : settings_(settings) {
  if (!settings.ignore.empty()) ignore_.emplace(settings.ignore);
  if (!settings.baseline.empty())
    baseline_.emplace(settings.baseline, settings.command == Command::clash ? "clash" : "check");
  if (settings.pairs) {
    if (ignore_ && ignore_->line_with_triangles() > 0)
      throw Error(
          fmt::format("{}:{}: an entry for triangles; --pairs has no list of contacts, so only pairs of parts "
                      "can be ignored",
                      ignore_->file(), ignore_->line_with_triangles()));
    if (baseline_) baseline_->drop_contacts();
  } else if (baseline_ && !baseline_->old().has_contacts && !baseline_->old().reviewed) {
    throw Error(
        fmt::format("{}: is a report of --pairs, which has no contacts; compare it by --pairs", baseline_->old().file));
  }
}

void Triager::prepare(Options& options) const {
  if (!active()) return;
  options.first = false;
  options.max_contacts = Options{}.max_contacts;
}

report::Triage Triager::apply(std::span<const report::Part> parts, std::size_t number, Report& report,
                              std::vector<PartPair>* pairs) {
  report::Triage triage;
  if (!active()) return triage;
  if (baseline_ && report.method.can_miss)
    throw Error(
        fmt::format("{}: the method can miss contacts, so its list cannot be compared", settings_.baseline.string()));
  parts_ += parts.size();
  triage.ignoring = ignore_.has_value();
  if (ignore_) {
    ignore_->begin(parts, number);
    const std::size_t pairs_before = pairs == nullptr ? 0 : pairs->size();
    triage.ignored = take_out(*ignore_, report.contacts, pairs);
    report.found -= triage.ignored;
    if (settings_.pairs) triage.ignored = pairs_before - pairs->size();
  }
  if (baseline_) {
    baseline_->add_parts(parts);
    triage.old = &baseline_->old();
    triage.comparison = baseline_->compare({parts, report.contacts}, write_options(settings_),
                                           pairs == nullptr ? std::span<const PartPair>() : *pairs);
  }
  return triage;
}

void Triager::cut(Report& report, report::Triage& triage) const {
  const std::uint64_t most = settings_.first ? 1 : settings_.max_contacts;
  if (settings_.first) report.found = std::min<std::uint64_t>(report.found, 1);
  if (report.contacts.size() <= most) return;
  report.contacts.resize(most);
  report.complete = false;
  if (triage.old != nullptr) triage.comparison.is_new.resize(most);
}

std::string Triager::lines(const report::Triage& triage) const {
  std::string text;
  if (ignore_)
    text += line("ignored", fmt::format("{} ({})", counted(triage.ignored, settings_.pairs ? "pair" : "contact"),
                                        ignore_->file()));
  if (baseline_) {
    const report::Comparison& c = triage.comparison;
    const std::string added = fmt::format("{} new", grouped(c.added));
    std::string rest =
        fmt::format("{}, {} stayed, {} gone", c.added > 0 ? ink(Ink::red, added) : ink(Ink::green, added),
                    grouped(c.stayed), grouped(c.gone.size()));
    if (settings_.pairs)
      rest = fmt::format("pairs: {} new, {} gone", grouped(c.pairs_added), grouped(c.pairs_gone));
    else if (c.pairs_added + c.pairs_gone > 0)
      rest += fmt::format("; pairs: {} new, {} gone", grouped(c.pairs_added), grouped(c.pairs_gone));
    text += line("baseline", fmt::format("{} ({})", rest, triage.old->file));
  }
  return text;
}

void Triager::finish() {
  if (ignore_)
    for (const std::string& warning : ignore_->warnings()) print_error("warning: " + warning);
  if (!baseline_) return;
  const report::OldReport& old = baseline_->old();
  if (parts_ > 0 && !old.parts.empty() && !baseline_->knows_any())
    throw Error(fmt::format("{}: is a report of other parts: none of its {} (such as '{}') is in this input", old.file,
                            counted(old.parts.size(), "name"), report::printable(old.parts.front())));
  if (const std::size_t lost = baseline_->without_part().size(); lost > 0)
    print_error(
        fmt::format("warning: {}: has {} of parts that are not in this input", old.file, counted(lost, "contact")));
}

std::optional<report::IgnoreFacts> Triager::ignore_facts() const {
  if (!ignore_) return std::nullopt;
  return report::IgnoreFacts{ignore_->file(), ignore_->size(), ignore_->unused_lines()};
}

}  // namespace sightline::tool
