#include "tool/sequence_summary.h"

#include <algorithm>

#include "tool/console.h"
#include "tool/summary.h"

namespace sightline::tool {
namespace {

constexpr std::size_t kMostColumns = 40;

}  // namespace

SequenceSummary::SequenceSummary(const read::Sequence& sequence) : name_(sequence.name) {
  for (const read::SequenceFrame& frame : sequence.frames) {
    frames_ += frame.count;
    width_ = std::max(width_, static_cast<int>(report::columns(shown(frame.label, kMostColumns))));
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
    worst_ = shown(label, kMostColumns);
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
  const std::string name = shown(label, kMostColumns);
  const auto pad = static_cast<std::size_t>(std::max(0, width_ - static_cast<int>(report::columns(name))));
  return fmt::format("  {}{}  {:>8}  {}\n", name, std::string(pad, ' '), duration(report.stats.milliseconds), text);
}

std::string SequenceSummary::failed(const std::string& label, std::uint64_t count) {
  failed_ += count;
  found_.push_back(kFailed);
  return fmt::format("  {}  {}\n", shown(label, kMostColumns), ink(Ink::red, "not checked"));
}

std::string SequenceSummary::total() const {
  std::uint64_t all = 0, with = 0, checked = 0;
  for (const std::uint64_t count : found_)
    if (count != kFailed) ++checked, all += count, with += count > 0;
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

}  // namespace sightline::tool
