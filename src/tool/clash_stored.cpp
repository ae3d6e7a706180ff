// `clash` of parts on the disk: --memory, and rank 0 over MPI.
#include "parts/pairs.h"
#include "report/streamed.h"
#include "tool/check_huge.h"
#include "tool/clash.h"
#include "tool/commands.h"
#include "tool/ranks.h"

namespace sightline::tool {
namespace {

/// Shares of --memory. The relations run after the list is on the disk.
struct Budget {
  explicit Budget(std::uint64_t memory) : contacts(memory / 4 * 3), pairs{.kept = memory / 8, .pair = memory / 8 * 7} {}
  std::uint64_t contacts;
  scale::PairMemory pairs;
};

HugeReport contacts_out_of_core(const Settings& settings, PartStore& parts, const Budget& budget, bool intersections,
                                Progress& progress) {
  std::vector<std::unique_ptr<TriangleSource>> sources;
  std::vector<HugePart> list;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sources.push_back(parts.source(i));
    list.push_back({sources.back().get(), {.self = settings.self}});
  }
  return scale::contacts(list,
                         {.memory = budget.contacts,
                          .scratch = settings.scratch,
                          .threads = settings.threads,
                          .device = settings.chosen_device(),
                          .intersections = intersections,
                          .progress = [&progress](double done) { progress.fraction(done); },
                          .cancel = [] { return interrupt_signal() != 0; }},
                         huge_tuning(settings));
}

/// The numbers of all contacts: by kind, and of each part with itself.
void count_contacts(ClashResult& result, const HugeReport& report) {
  result.counts = report::count_kinds(report, report.found);
  result.self.resize(result.parts.size());
  report.for_contacts([&](const HugeContact& contact) {
    if (contact.object_a == contact.object_b) ++result.self[contact.object_a].of[static_cast<int>(contact.kind)];
    return true;
  });
}

/// An interrupt ends relations by an Error.
template <typename Work>
auto or_interrupted(const Work& work) {
  try {
    return work();
  } catch (const Error&) {
    stop_if_interrupted();
    throw;
  }
}

}  // namespace

std::optional<HugeReport> clash_stored(const Settings& settings, PartStore& parts, ClashResult& result, Report& report,
                                       Progress& progress) {
  const bool over_ranks = launched_ranks() > 1;
  const Budget budget(settings.memory.value_or(std::uint64_t{4} << 30));
  std::optional<HugeReport> list;
  if (!settings.pairs) {
    progress.step("checking parts");
    const bool intersections = !settings.json.empty() || !settings.csv.empty();
    list = over_ranks ? contacts_over_ranks(settings, result.parts)
                      : contacts_out_of_core(settings, parts, budget, intersections, progress);
    stop_if_interrupted();
    report.found = list->found;
    report.stats = list->stats;
  }
  progress.step(settings.pairs ? "checking pairs" : "classifying pairs");
  const ClashOptions options = relation_options(settings, result, progress);
  Clashes found = or_interrupted([&] {
    return over_ranks ? relations_over_ranks(settings, result.parts, parts, options)
                      : scale::relations(parts, list ? &*list : nullptr, options, budget.pairs);
  });
  if (settings.pairs) report.stats.threads = found.stats.threads;
  if (list && over_ranks) scale::add_counts(*list, found.pairs);
  result.pairs_known = true;
  set_pairs(result, std::move(found), report);
  if (!list) return list;
  result.listed = std::min(list->found, settings.max_contacts);
  report.complete = result.listed == list->found;
  count_contacts(result, *list);
  if (settings.memory) {
    list->scratch_bytes += parts.bytes();
    result.notes += disk_line(*list);
  }
  return list;
}

}  // namespace sightline::tool
