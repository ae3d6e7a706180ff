// Sections as text, Markdown and JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "experiments/experiment.h"

namespace sightline::experiments {
namespace {

/// Number of code points: the width of these texts on a terminal.
std::size_t width(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (c & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

std::string padded(const std::string& cell, std::size_t columns, bool right) {
  const std::string space(columns - std::min(columns, width(cell)), ' ');
  return right ? space + cell : cell + space;
}

std::string aligned(const Table& table) {
  std::vector<std::size_t> columns;
  for (const std::string& title : table.columns) columns.push_back(width(title));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) columns[i] = std::max(columns[i], width(row[i]));
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = " ";
    for (std::size_t i = 0; i < cells.size(); ++i) text += " " + padded(cells[i], columns[i], i > 0) + " ";
    while (text.back() == ' ') text.pop_back();
    return text + "\n";
  };
  std::string text = table.title + "\n" + line(table.columns);
  for (const auto& row : table.rows) text += line(row);
  return text;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string markdown(const Table& table) {
  std::string text = fmt::format("**{}**\n\n{}|", table.title, markdown_row(table.columns));
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += i == 0 ? "---|" : "---:|";
  text += "\n";
  for (const auto& row : table.rows) text += markdown_row(row);
  return text + "\n";
}

std::string anchor(std::string_view title) {
  std::string text;
  for (const char c : title)
    if (c == ' ')
      text += '-';
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-')
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string markdown(const Section& section) {
  std::string text = fmt::format("## {}\n\n{}\n\n", section.title, section.citation);
  for (const std::string& paragraph : section.setup) text += paragraph + "\n\n";
  if (!section.claims.empty()) text += "| claim | holds | measured |\n|---|---|---|\n";
  for (const Claim& claim : section.claims)
    text += fmt::format("| {} | {} | {} |\n", claim.text, claim.holds ? claim.verdict() : "**no**", claim.measured);
  if (!section.claims.empty()) text += "\n";
  for (const Table& table : section.tables) text += markdown(table);
  for (const Plot& plot : section.plots) text += fmt::format("![{}](papers/{}.svg)\n\n", plot.title, plot.file);
  for (const Figure& figure : section.figures)
    text += fmt::format("![{0}](papers/{1}.png)\n\n*{0}*\n\n", figure.caption, figure.file);
  if (!section.differences.empty()) text += "Where ours differ, and why:\n\n";
  for (const std::string& difference : section.differences) text += fmt::format("- {}\n", difference);
  return section.differences.empty() ? text : text + "\n";
}

}  // namespace

std::string to_text(const Section& section) {
  std::string text = fmt::format("{}\n{}\n\n", section.title, section.citation);
  for (const Table& table : section.tables) text += aligned(table) + "\n";
  for (const Claim& claim : section.claims)
    text += fmt::format("  {:<14} {} [{}]\n",
                        !claim.holds ? "does not hold"
                        : claim.more ? "more"
                                     : "holds",
                        claim.text, claim.measured);
  for (const std::string& difference : section.differences) text += fmt::format("  differs        {}\n", difference);
  return text + "\n";
}

std::string to_markdown(std::span<const Section> sections, std::string_view machine) {
  std::string text = fmt::format(
      "# The papers' experiments, run again\n\n"
      "Made by `sightline papers --markdown docs/papers.md`; do not edit. Machine: {}.\n\n"
      "The papers' scenes are not published; ours are generated after their descriptions, at their sizes, so numbers "
      "of "
      "triangles left and of contacts are to be compared as ratios. The papers' times are those of the graphics "
      "hardware of "
      "their day, ours those of a software rasterizer on this CPU. Every answer is compared with the exact "
      "engine's.\n\n",
      machine);
  for (const Section& section : sections) text += fmt::format("- [{}](#{})\n", section.title, anchor(section.title));
  text += "\n";
  for (const Section& section : sections) text += markdown(section);
  return text;
}

std::string to_json(std::span<const Section> sections, std::string_view machine) {
  using nlohmann::ordered_json;
  ordered_json document = {{"schema", "sightline.papers/1"}, {"machine", machine}, {"sections", ordered_json::array()}};
  for (const Section& section : sections) {
    ordered_json one = {
        {"name", section.name}, {"title", section.title}, {"citation", section.citation}, {"setup", section.setup}};
    for (const Claim& claim : section.claims)
      one["claims"].push_back(
          {{"text", claim.text}, {"holds", claim.holds}, {"verdict", claim.verdict()}, {"measured", claim.measured}});
    for (const Table& table : section.tables)
      one["tables"].push_back({{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
    for (const Plot& plot : section.plots) {
      ordered_json drawn = {{"file", plot.file}, {"title", plot.title}, {"x", plot.x}, {"y", plot.y}};
      for (const Series& series : plot.series)
        drawn["series"].push_back({{"name", series.name}, {"paper", series.paper}, {"points", series.points}});
      one["plots"].push_back(std::move(drawn));
    }
    for (const Figure& figure : section.figures)
      one["figures"].push_back({{"file", figure.file}, {"caption", figure.caption}});
    one["differences"] = section.differences;
    document["sections"].push_back(std::move(one));
  }
  return document.dump(1) + "\n";
}

}  // namespace sightline::experiments
